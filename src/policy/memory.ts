import type { AcceptedEntry, JournalEntry } from '../journal/entry.ts'
import { policies as allPolicies } from './policies.ts'
import {
  foldSession,
  restoreSessions,
  type Session,
  type Sessions,
  sessionKey,
} from './sessions.ts'
import type { Candidate, HeldEvent, JudgeContext, JudgedEvent, Policy, Verdict } from './types.ts'

/** What becomes of a candidate, and which policies said so. */
export interface Judgement {
  candidate: Candidate
  /** The policy that decided; '' where all agree to send. */
  by: string
  verdict: Verdict
}

/** What the policies remember: one value per policy, by its name, and what is known of the sessions. */
export type MemoryState = { [policy: string]: unknown }

/** What a person has set: the same for all channels. */
export type JudgeSettings = Omit<JudgeContext, 'session'>

/** All policies in their order, with what each remembers. A policy that throws is passed over: what is not known is told. */
export class Memory {
  readonly #policies: readonly Policy[]
  /** Those that remember something, and those that leave notes: a few of many. */
  readonly #folding: readonly Policy[]
  readonly #noting: readonly Policy[]
  readonly #sessions: Sessions
  readonly #state: MemoryState

  constructor(state: MemoryState = {}, policies: readonly Policy[] = allPolicies) {
    this.#policies = policies
    this.#folding = policies.filter(({ fold }) => fold)
    this.#noting = policies.filter(({ note }) => note)
    this.#sessions = restoreSessions(state.sessions)
    this.#state = Object.fromEntries(
      policies.map((policy) => [policy.name, restored(policy, state[policy.name])]),
    )
  }

  /** Its JSON is to be kept, and given to the constructor again. */
  get state(): MemoryState {
    return { ...this.#state, sessions: Object.fromEntries(this.#sessions) }
  }

  /** What is known of a session; undefined where nothing is. */
  session(event: { client: string; sessionId: string }): Session | undefined {
    return event.sessionId ? this.#sessions.get(sessionKey(event)) : undefined
  }

  judge(
    event: JudgedEvent,
    candidates: readonly Candidate[],
    settings: JudgeSettings,
  ): Judgement[] {
    const context = { ...settings, session: this.session(event) }
    return candidates.map((candidate) => this.#judgeOne(event, candidate, context))
  }

  /** What the policies want the journal to keep about the event. */
  note(event: JudgedEvent, settings: JudgeSettings): Partial<AcceptedEntry> {
    const context = { ...settings, session: this.session(event) }
    const notes = this.#noting.map((policy) =>
      attempt(() => policy.note?.(event, this.#state[policy.name], context)),
    )
    return Object.assign({}, ...notes)
  }

  /** Why a held delivery is not worth telling any more; undefined where it is. */
  review(held: HeldEvent, settings: JudgeSettings): string | undefined {
    const context = { ...settings, session: this.session(held) }
    for (const policy of this.#policies) {
      const reason = attempt(() => policy.review?.(held, this.#state[policy.name], context))
      if (reason !== undefined) return reason
    }
    return undefined
  }

  fold(entry: JournalEntry) {
    attempt(() => foldSession(this.#sessions, entry))
    for (const policy of this.#folding) {
      attempt(() => {
        this.#state[policy.name] = policy.fold?.(this.#state[policy.name], entry)
      })
    }
  }

  #judgeOne(event: JudgedEvent, candidate: Candidate, context: JudgeContext): Judgement {
    let longest: Judgement = { candidate, by: '', verdict: { type: 'send' } }
    for (const policy of this.#policies) {
      if (!isInForce(policy, candidate, context)) continue
      const verdict = attempt(() =>
        policy.judge(event, candidate, this.#state[policy.name], context),
      )
      if (verdict?.type === 'suppress') return { candidate, by: policy.name, verdict }
      if (verdict?.type !== 'hold') continue
      const before = longest.verdict.type === 'hold' ? longest.verdict.until : 0
      if (verdict.until > before) longest = { candidate, by: policy.name, verdict }
    }
    return longest
  }
}

function isInForce(
  { isNoise, name }: Policy,
  { hasNoiseRules }: Candidate,
  { noise }: JudgeContext,
) {
  return !isNoise || (hasNoiseRules && !(noise.off as readonly string[]).includes(name))
}

/** Damaged: it begins anew. */
function restored(policy: Policy, saved: unknown): unknown {
  return attempt(() => policy.restore(saved)) ?? policy.restore(undefined)
}

/** State of another version, or damaged: the rule does without. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
