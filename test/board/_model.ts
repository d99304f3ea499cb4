import * as fc from 'fast-check'
import type { Evidence, State } from '../../src/board/state.ts'
import { STILL_MS } from '../../src/board/state.ts'
import type { EnrichedEvent } from '../../src/context/enrich.ts'
import type { JournalEntry } from '../../src/journal/entry.ts'
import { factsOf } from '../../src/prepare/facts.ts'
import { parsePayload, readPayload } from '../support/payload.ts'

// What a person at the desk sees of a session, by what happens there. The model knows nothing of entries and evidence; beside
// it stands what of that is reported, with the payloads that the clients were recorded with.

interface Client {
  client: string
  prompt: string
  ask: string
  stop: string
  fail?: string
  /** Fires when a person stops the turn; without it, only a transcript shows that. */
  interrupt?: string
  end?: string
}

const clients: readonly Client[] = [
  {
    ...{ client: 'claude', prompt: 'UserPromptSubmit', ask: 'PermissionRequest', stop: 'Stop' },
    ...{ fail: 'StopFailure', end: 'SessionEnd.normal' },
  },
  {
    ...{ client: 'codex', prompt: 'UserPromptSubmit', ask: 'PermissionRequest', stop: 'Stop' },
    ...{ interrupt: 'Interrupt', end: 'SessionEnd' },
  },
  {
    ...{ client: 'qwen', prompt: 'UserPromptSubmit', ask: 'PermissionRequest', stop: 'Stop' },
    ...{ fail: 'StopFailure', end: 'SessionEnd' },
  },
  {
    ...{ client: 'gemini', prompt: 'BeforeAgent', ask: 'Notification.permission' },
    ...{ stop: 'AfterAgent', end: 'SessionEnd' },
  },
  {
    ...{ client: 'droid', prompt: 'UserPromptSubmit', ask: 'Notification.permission' },
    ...{ stop: 'Stop', interrupt: 'Notification.stopped', end: 'SessionEnd.normal' },
  },
  {
    ...{ client: 'kimi', prompt: 'UserPromptSubmit', ask: 'PermissionRequest', stop: 'Stop' },
    ...{ fail: 'StopFailure', interrupt: 'Interrupt', end: 'SessionEnd' },
  },
  {
    ...{ client: 'opencode', prompt: 'chat.message', ask: 'permission.asked' },
    ...{ stop: 'session.idle', fail: 'session.error', interrupt: 'session.error.abort' },
  },
]

const deeds = ['prompt', 'ask', 'answer', 'grow', 'stop', 'fail', 'interrupt', 'end'] as const
type Deed = (typeof deeds)[number] | 'suspend' | 'go on' | 'kill' | 'reboot'

export const scenes = fc.array(
  fc.record({
    client: fc.constantFrom(...clients),
    /** Whether the process of the agent can be seen. */
    isSeen: fc.boolean(),
    steps: fc.array(
      fc.record({
        does: fc.oneof(
          { arbitrary: fc.constantFrom<Deed>(...deeds), weight: 9 },
          { arbitrary: fc.constantFrom<Deed>('suspend', 'go on', 'kill', 'reboot'), weight: 1 },
        ),
        afterMs: fc.oneof(fc.integer({ min: 1, max: 60_000 }), fc.constant(STILL_MS + 1)),
      }),
      { minLength: 1, maxLength: 14 },
    ),
  }),
  { minLength: 1, maxLength: 4 },
)

export type Scene = typeof scenes extends fc.Arbitrary<(infer One)[]> ? One : never

export interface Truth {
  state: State
  since: number
}

/** One session as it was: what is true at each moment, and what is reported. */
export class Play {
  readonly entries: JournalEntry[] = []
  readonly evidence: Evidence & { answered: Map<string, number> }
  readonly sessionId: string
  readonly #client: Client
  #state: Exclude<State, 'still'> | undefined
  #since = 0
  #turnAt = 0
  #signAt = 0
  #isStopped = false
  #asked: { id: string } | undefined
  #count = 0

  constructor({ client, isSeen }: Pick<Scene, 'client' | 'isSeen'>, sessionId: string) {
    this.#client = client
    this.sessionId = sessionId
    this.evidence = { job: isSeen ? 'alive' : 'unknown', answered: new Map() }
  }

  get client(): string {
    return this.#client.client
  }

  /** @returns undefined before anything was reported */
  truth(now: number): Truth | undefined {
    if (this.#state === undefined) return undefined
    const [sign, since] = [this.#signAt, this.#since]
    if (this.#state !== 'works') return { state: this.#state, since }
    const isStill = this.#isStopped || now - sign > STILL_MS
    return isStill ? { state: 'still', since: sign } : { state: 'works', since: this.#turnAt }
  }

  /** What cannot happen now does not. */
  play(does: Deed, at: number) {
    const [state, { fail, interrupt, end, stop, prompt, ask }] = [this.#state, this.#client]
    const isGone = this.evidence.job === 'dead' || this.evidence.bootedAt !== undefined
    if (isGone) return
    const isRunning = state === 'works' && !this.#isStopped
    if (does === 'suspend' || does === 'go on') return this.#suspend(does === 'suspend')
    if (does === 'kill') return this.#kill()
    if (does === 'reboot') return this.#reboot(at)
    if (this.#isStopped) return
    if (does === 'prompt' && state !== 'works' && state !== 'asks') {
      this.#report(prompt, at)
      this.#turnAt = at
      return this.#become('works', at)
    }
    if (does === 'end' && end && state !== undefined) return this.#close(end, at)
    if (does === 'answer' && state === 'asks') return this.#answer(at)
    if (!isRunning) return
    if (does === 'ask') {
      this.#asked = { id: this.#report(ask, at) }
      return this.#become('asks', at)
    }
    if (does === 'grow') return this.#grow(at)
    if (does === 'stop' || (does === 'fail' && fail)) {
      this.#report(does === 'stop' ? stop : (fail ?? ''), at)
      return this.#become(does === 'stop' ? 'done' : 'failed', at)
    }
    if (does !== 'interrupt') return
    if (interrupt) this.#report(interrupt, at)
    else {
      this.#grow(at)
      this.evidence.outcome = { how: 'interrupted', at }
    }
    this.#become('done', at)
  }

  #become(state: Exclude<State, 'still'>, since: number) {
    this.#state = state
    this.#since = since
  }

  #suspend(isStopped: boolean) {
    if (this.evidence.job === 'unknown' || this.#state === undefined) return
    this.#isStopped = isStopped
    this.evidence.job = isStopped ? 'stopped' : 'alive'
  }

  /** A process that cannot be seen may be gone, or not. */
  #kill() {
    if (this.evidence.job === 'unknown') return
    this.evidence.job = 'dead'
    if (this.#state !== undefined && this.#state !== 'ended') this.#become('ended', this.#signAt)
  }

  #reboot(at: number) {
    if (this.evidence.job === 'unknown') this.evidence.bootedAt = at
    else this.evidence.job = 'dead'
    if (this.#state !== undefined && this.#state !== 'ended') this.#become('ended', this.#signAt)
  }

  #close(name: string, at: number) {
    if (this.#state === 'ended') return
    this.#report(name, at)
    this.#become('ended', at)
  }

  /** The transcript shows it, and the worker may have recorded that, or not yet. */
  #answer(at: number) {
    const { id = '' } = this.#asked ?? {}
    this.#grow(at)
    this.#become('works', at)
    this.evidence.answered.set(id, at)
    if (this.#count % 2 === 0) return
    const ref = { client: this.client, sessionId: this.sessionId }
    this.entries.push({ at, id, type: 'answered', ...ref, how: 'transcript', answeredAt: at })
  }

  #grow(at: number) {
    this.#signAt = at
    this.evidence.grewAt = at
  }

  #report(name: string, at: number): string {
    this.#count += 1
    this.#signAt = at
    const id = `${this.sessionId}-${this.#count}`
    this.entries.push(
      entryOf(readPayload(this.client, name), this.client, { id, at, sessionId: this.sessionId }),
    )
    return id
  }
}

/** The entry of a recorded payload. */
export function entryOf(
  payload: object,
  client: string,
  { id, at, ...told }: { id: string; at: number } & Partial<EnrichedEvent>,
): JournalEntry {
  const parsed = parsePayload(payload, { client, at })
  const around = { project: 'shop', branch: '', title: '', firstPrompt: '', tokens: undefined }
  const did = { tools: {}, files: [], commands: [] }
  const event: EnrichedEvent = { ...parsed, ...around, did, ...told }
  const { name, kind, sessionId, project } = event
  return {
    ...{ type: 'accepted', at, id, acceptedAt: at, event: name, kind, client, sessionId, project },
    ...{ title: `${project}: ${kind}`, text: `text of ${id}` },
    facts: factsOf(event, { keepsText: true }),
  }
}
