import { meaningOf } from '../event/meaning.ts'
import { type AcceptedEntry, isOwnEvent, type JournalEntry } from '../journal/entry.ts'
import { type QuestionEnd, questionEnd } from '../journal/history.ts'

/** A time in which an agent waited for a person: since a question, or since the end of a turn. */
export interface Wait {
  /** The event with which it began. */
  id: string
  /** Unix ms. */
  at: number
  kind: string
  project: string
  title: string
  /** What is asked, such as a command; absent if the journal keeps no texts. */
  text?: string
  /** Whether the agent asked something, as opposed to having ended its turn. */
  asks: boolean
  /** Absent while it is open. `went-on`: for a question, answered some time before; for a turn, nobody has written. */
  end?: QuestionEnd
}

/** A turn that ended. Times in ms. */
export interface Turn {
  id: string
  at: number
  project: string
  /** Absent if unknown. */
  tookMs?: number
  /** For how much of that it may have waited for a person. */
  waitingMs: number
}

/**
 * What agents did and when they waited for a person, by the journal: all that is said of that is derived from here. Pure;
 * entries must be added oldest first. How a question ended is an entry of its own, which the worker has written; how the
 * wait after a turn ended follows from the next events of its session.
 */
export class AgentWork {
  readonly waits: Wait[] = []
  readonly turns: Turn[] = []
  readonly #questions = new Map<string, Wait>()
  /** The waits of each session, without those that ended long ago. */
  readonly #recent = new Map<string, Wait[]>()
  readonly #subAgents = new Set<string>()
  readonly #seen = new Set<string>()

  constructor(entries: readonly JournalEntry[] = []) {
    for (const entry of entries) this.add(entry)
  }

  add(entry: JournalEntry) {
    if (entry.type === 'accepted') this.#accept(entry)
    if (entry.type !== 'answered' && entry.type !== 'unanswered') return
    const question = this.#questions.get(entry.id)
    if (question) question.end ??= questionEnd(entry)
  }

  #accept(entry: AcceptedEntry) {
    if (this.#seen.has(entry.id)) return
    this.#seen.add(entry.id)
    if (isOwnEvent(entry) || isCopy(entry)) return
    const { id, sessionId, client, acceptedAt: at, facts, project } = entry
    const key = `${client} ${sessionId}`
    const meaning = meaningOfEntry(entry)
    const parent = facts?.parentSessionId
    if (meaning.isSubagent && parent && parent !== sessionId) this.#subAgents.add(key)
    const open = this.#openAfter(key, entry, meaning)
    if (isQuestion(entry)) return this.#begin(key, entry, open)
    if (sessionId === '' || meaning.isSubagent || this.#subAgents.has(key)) return
    if (isTurnEnd(entry)) {
      const { durationMs: tookMs, waitingMs = 0 } = facts ?? {}
      this.turns.push({ id, at, project, ...(tookMs !== undefined && { tookMs }), waitingMs })
    }
    if (beginsWait(entry, open)) this.#begin(key, entry, open)
  }

  #begin(key: string, entry: AcceptedEntry, open: readonly Wait[]) {
    const { id, acceptedAt: at, kind, project, title, text = '' } = entry
    const wait = { id, at, kind, project, title, ...(text && { text }), asks: isAsking(entry) }
    this.waits.push(wait)
    if (isQuestion(entry)) this.#questions.set(id, wait)
    this.#recent.set(key, [...open, wait])
  }

  /** The waits of the session that are open after an event. Those that it ends are noted as ended. */
  #openAfter(key: string, { acceptedAt }: AcceptedEntry, meaning: Meaning): Wait[] {
    const open = (this.#recent.get(key) ?? []).filter(({ end }) => !end)
    for (const wait of open) {
      if (this.#questions.has(wait.id)) continue
      const how = signIn(meaning)
      // A clock that was set back must not yield a negative duration.
      if (how) wait.end = { how, at: Math.max(acceptedAt, wait.at) }
    }
    const left = open.filter(({ end }) => !end)
    this.#recent.set(key, left)
    return left
  }
}

type Meaning = ReturnType<typeof meaningOf>

function meaningOfEntry(entry: AcceptedEntry): Meaning {
  const { client, event: name, sessionId, acceptedAt: at, facts = {} } = entry
  const { means = name, notificationType = '', reason = '', tool = '', turnId = '' } = facts
  const told = { client, name, means, notificationType, sessionId, at, reason, tool, turnId }
  return meaningOf(told as Parameters<typeof meaningOf>[0])
}

/** Whether another event has reported the same. */
export function isCopy({ duplicateOf, repeatOf }: AcceptedEntry): boolean {
  return duplicateOf !== undefined || repeatOf !== undefined
}

/** Whether the event asks a person something, as opposed to a notice that nothing has happened for a while. */
export function isAsking(entry: AcceptedEntry): boolean {
  return isQuestion(entry) || (entry.kind === 'waiting' && !meaningOfEntry(entry).isIdle)
}

/** Whether it is a question, which the agent waits for before it goes on. */
export function isQuestion({ kind }: AcceptedEntry): boolean {
  return kind === 'permission'
}

/** Whether a turn has really ended: neither a hook nor a prompt that was waiting made the agent go on. */
export function isTurnEnd({ kind, facts }: AcceptedEntry): boolean {
  if (kind !== 'done' && kind !== 'failed') return false
  return facts?.means !== 'StopRefused' && facts?.means !== 'StopQueued'
}

/** An idle notice begins no second wait. Neither does a turn that left tasks running. */
function beginsWait(entry: AcceptedEntry, open: readonly Wait[]): boolean {
  const { kind, facts } = entry
  if (kind === 'waiting') return open.length === 0 || isAsking(entry)
  return isTurnEnd(entry) && (kind === 'failed' || (facts?.backgroundTasks ?? 0) === 0)
}

/** How an event ends the wait for the next prompt; undefined if it does not. */
function signIn(meaning: Meaning): QuestionEnd['how'] | undefined {
  if (meaning.isSessionEnd) return 'none'
  if (meaning.isPrompt) return 'prompt'
  if (!meaning.isTurnEnd) return undefined
  return meaning.isInterrupt ? 'interrupt' : 'went-on'
}
