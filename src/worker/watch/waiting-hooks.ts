import { findClient } from '../../clients/index.ts'
import { parseEvent } from '../../event/parse.ts'
import type { Memory } from '../../policy/memory.ts'
import type { SessionRef } from '../../policy/sessions.ts'
import { typedAt } from '../../prepare/at-terminal.ts'
import { statOf } from '../../spool/lock/owner.ts'
import { awayUntil, takeBackRequest } from '../../spool/requests.ts'
import {
  endWait,
  hasQuestion,
  isStillWaiting,
  listWaitingHooks,
  readQuestionEvent,
  removeLeftAnswers,
  type WaitingHook,
} from '../../spool/waiting-hooks.ts'
import type { WorkerMemory } from '../memory.ts'

/** How often it looks whether an agent that waits still lives. */
const LOOK_MS = 2000
/** How long after a question a key may still be one that was typed before it. */
const ITS_OWN_KEY_MS = 1000

interface WaitingDeps {
  stateDir: string
  memory: WorkerMemory
}

/** A question whose hook waits for an answer. */
interface Known extends SessionRef {
  at: number
  env: Readonly<Record<string, string>>
  /** The processes above the hook, when it was first seen: its shell, and its agent. */
  above: readonly number[]
}

/**
 * Hooks that wait for an answer from elsewhere. Ends the wait as soon as the question is over by any evidence, or its agent
 * is gone.
 */
export class WaitingHooks {
  readonly #deps: WaitingDeps
  readonly #known = new Map<string, Known>()
  #hasStarted = false

  constructor(deps: WaitingDeps) {
    this.#deps = deps
  }

  /** Milliseconds until `look` has something to do; undefined if no hook waits. */
  nextLookInMs(): number | undefined {
    return listWaitingHooks(this.#deps.stateDir).length > 0 ? LOOK_MS : undefined
  }

  /** Ends the waits that are over. @returns the sessions of questions that were answered with hookbell */
  async look(): Promise<SessionRef[]> {
    const { stateDir } = this.#deps
    if (!this.#hasStarted) removeLeftAnswers(stateDir)
    this.#hasStarted = true
    const hooks = listWaitingHooks(stateDir)
    if (hooks.length === 0 && this.#known.size === 0) return []
    const memory = await this.#deps.memory.get()
    for (const hook of hooks) {
      if (this.#isOver(hook, memory)) await endWait(stateDir, hook)
      else await this.#endIfBack(hook)
    }
    return this.#answered(memory)
  }

  #isOver(hook: WaitingHook, memory: Memory): boolean {
    const { stateDir } = this.#deps
    if (!isStillWaiting(hook)) return true
    const known = this.#known.get(hook.id) ?? readKnown(stateDir, hook)
    if (!known) return false
    this.#known.set(hook.id, known)
    const { id } = hook
    return memory.endOf(known, { id, at: known.at }) !== undefined || hasLost(hook, known)
  }

  /** A key in the terminal of a question that is not on the screen yet: the person is back, and sees it now. */
  async #endIfBack(hook: WaitingHook) {
    const { stateDir } = this.#deps
    const known = this.#known.get(hook.id)
    if (!known || findClient(known.client)?.takesAnswers?.asks !== 'before') return
    const isAway = awayUntil(stateDir, Date.now()) !== undefined
    const isTyped = ((await typedAt(known.env)) ?? 0) > known.at + ITS_OWN_KEY_MS
    if (isAway && !isTyped) return
    takeBackRequest(stateDir, 'away')
    await endWait(stateDir, hook)
  }

  /** The sessions of those that were answered: another process gives an answer, and removes the question once it is recorded. */
  #answered(memory: Memory): SessionRef[] {
    const gone = [...this.#known].filter(([id]) => !hasQuestion(this.#deps.stateDir, id))
    return gone.flatMap(([id, known]) => {
      this.#known.delete(id)
      return memory.endOf(known, { id, at: known.at }) ? [known] : []
    })
  }
}

/** @returns undefined as long as the event of the question has not been read by a worker */
function readKnown(stateDir: string, hook: WaitingHook): Known | undefined {
  const stored = readQuestionEvent(stateDir, hook.id)
  if (!stored) return undefined
  try {
    const { at, client, env, sessionId } = parseEvent({ ...stored, id: hook.id }, [])
    return { at, client, env, sessionId, above: processesAbove(hook) }
  } catch {
    return undefined
  }
}

function processesAbove({ pid }: WaitingHook): number[] {
  const shell = statOf(pid)?.parent ?? 0
  return [shell, statOf(shell)?.parent ?? 0]
}

/** Whether one of the processes above the hook is another one than at first. Never where processes cannot be seen. */
function hasLost(hook: WaitingHook, { above }: Known): boolean {
  if (above.includes(0)) return false
  return processesAbove(hook).some((pid, at) => pid !== above[at])
}
