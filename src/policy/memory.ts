import type { AcceptedEntry, JournalEntry } from '../journal/entry.ts'
import type { QuestionEnd } from '../journal/history.ts'
import { type Postponed, reviewHeld } from './held.ts'
import { endOf, openQuestions, type Question } from './questions.ts'
import { answeredAtOnce } from './rules/answered-at-once.ts'
import { atTerminal } from './rules/at-terminal.ts'
import { burst } from './rules/burst.ts'
import { cooldown } from './rules/cooldown.ts'
import { duplicates } from './rules/duplicates.ts'
import { ends } from './rules/ends.ts'
import { goesOn } from './rules/goes-on.ts'
import { idle } from './rules/idle.ts'
import { mute } from './rules/mute.ts'
import { projectFile } from './rules/project-file.ts'
import { quietHours } from './rules/quiet-hours.ts'
import { repeats } from './rules/repeats.ts'
import { sameFailure } from './rules/same-failure.ts'
import { shortTurns } from './rules/short-turns.ts'
import { subAgents } from './rules/sub-agents.ts'
import {
  answerEntries,
  foldSession,
  refOf,
  restoreSessions,
  type Session,
  type SessionRef,
  type Sessions,
  sessionKey,
} from './sessions.ts'
import type {
  Candidate,
  Expected,
  HeldEvent,
  JudgeContext,
  JudgedEvent,
  Policy,
  Verdict,
} from './types.ts'

/**
 * The rules in their order: the first that suppresses decides. If none does, the one that holds the longest decides.
 * To add a rule, add a file in rules/ and a line here.
 */
export const allPolicies = [
  // Duplicates and what a person has set come first, before guesses about what is worth sending.
  duplicates,
  mute,
  projectFile,
  repeats,
  subAgents,
  goesOn,
  idle,
  ends,
  shortTurns,
  cooldown,
  atTerminal,
  answeredAtOnce,
  sameFailure,
  burst,
  quietHours,
] as readonly Policy[]

/** The verdict on a candidate, and which policy gave it. */
export interface Judgement {
  candidate: Candidate
  /** The policy that decided; '' where all agree to send. */
  by: string
  verdict: Verdict
}

/** What the policies remember: one value per policy, by its name, and the known sessions. */
export type MemoryState = { [policy: string]: unknown }

/** The settings for judging, which are the same for all channels. */
export type JudgeSettings = Omit<JudgeContext, 'session' | 'dueAt'>

/** All policies in their order, with the state of each. A policy that throws is skipped, so that events are sent. */
export class Memory {
  readonly #policies: readonly Policy[]
  /** The few policies that have a `fold`, and those that have a `note`. */
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

  /** The state to save as JSON and to give to the constructor later. */
  get state(): MemoryState {
    return { ...this.#state, sessions: Object.fromEntries(this.#sessions) }
  }

  /** All sessions, by their keys. */
  get sessions(): Iterable<[string, Session]> {
    return this.#sessions
  }

  /** What is known of a session; undefined where nothing is. */
  session(event: SessionRef): Session | undefined {
    return event.sessionId ? this.#sessions.get(sessionKey(event)) : undefined
  }

  /** How a question ended; undefined while it is open. A message about several sessions names none of them in `ref`. */
  endOf(ref: SessionRef, asked: { id: string; at: number }): QuestionEnd | undefined {
    const session = this.session(ref)
    if (session) return endOf(session, asked)
    const all = [...this.#sessions.values()].flatMap(({ questions }) => questions)
    return all.find(({ id, copies }) => id === asked.id || copies?.includes(asked.id))?.answer
  }

  /** The open questions of a session, or of all. */
  openQuestions(ref?: SessionRef): (SessionRef & { asked: Question })[] {
    return this.#keysOf(ref).flatMap((key) => {
      const session = this.#sessions.get(key)
      const open = session ? openQuestions(session) : []
      return open.map((asked) => ({ ...refOf(key), asked }))
    })
  }

  /** The entries for answers of a session, or of all, that the journal lacks. From now on they count as written. */
  takeAnswers(now: number, ref?: SessionRef): JournalEntry[] {
    const entries = this.#keysOf(ref).flatMap((key) =>
      answerEntries(key, this.#sessions.get(key), now),
    )
    for (const entry of entries) this.fold(entry)
    return entries
  }

  #keysOf(ref: SessionRef | undefined): string[] {
    return ref ? [sessionKey(ref)] : [...this.#sessions.keys()]
  }

  /**
   * Forgets the session of a new event if it has later ones, though these are in the future: then the clock was set back.
   * They would count as having come after the new event, such as an answer to its question.
   */
  forgetFuture(event: SessionRef & { at: number }, now: number) {
    const { latestAt = 0 } = this.session(event) ?? {}
    if (latestAt > Math.max(event.at, now)) this.#sessions.delete(sessionKey(event))
  }

  judge(
    event: JudgedEvent,
    candidates: readonly Candidate[],
    settings: JudgeSettings,
  ): Judgement[] {
    const context = this.#contextOf(event, settings)
    return candidates.map((candidate) => this.#judgeOne(event, candidate, context))
  }

  /** Fields that the policies add to the event's journal entry. */
  note(event: JudgedEvent, settings: JudgeSettings): Partial<AcceptedEntry> {
    const context = this.#contextOf(event, settings)
    const notes = this.#noting.map((policy) =>
      attempt(() => policy.note?.(event, this.#state[policy.name], context)),
    )
    return Object.assign({}, ...notes)
  }

  /** Why a held delivery is no longer worth sending, or its new time; undefined if it is sent at its time. */
  review(held: HeldEvent, settings: JudgeSettings): string | Postponed | undefined {
    const context = this.#contextOf(held, settings)
    for (const policy of this.#policies) {
      const reason = attempt(() => policy.review?.(held, this.#state[policy.name], context))
      if (reason !== undefined) return reason
    }
    return attempt(() => reviewHeld(held, context.session, context.now))
  }

  fold(entry: JournalEntry) {
    attempt(() => foldSession(this.#sessions, entry))
    for (const policy of this.#folding) {
      attempt(() => {
        this.#state[policy.name] = policy.fold?.(this.#state[policy.name], entry)
      })
    }
  }

  #contextOf(event: { client: string; sessionId: string }, settings: JudgeSettings): JudgeContext {
    return { ...settings, dueAt: settings.now, session: this.session(event) }
  }

  #judgeOne(event: JudgedEvent, candidate: Candidate, context: JudgeContext): Judgement {
    let longest: Judgement = { candidate, by: '', verdict: { type: 'send' } }
    let expects: Expected | undefined
    for (const policy of this.#policies) {
      if (!isInForce(policy, candidate, context)) continue
      const before = longest.verdict.type === 'hold' ? longest.verdict.until : 0
      const then = { ...context, dueAt: Math.max(before, context.dueAt) }
      const verdict = attempt(() => policy.judge(event, candidate, this.#state[policy.name], then))
      if (verdict?.type === 'suppress') return { candidate, by: policy.name, verdict }
      if (verdict?.type !== 'hold') continue
      expects ??= verdict.expects
      if (verdict.until > before) longest = { candidate, by: policy.name, verdict }
    }
    const { verdict } = longest
    return verdict.type === 'hold' && expects
      ? { ...longest, verdict: { ...verdict, expects } }
      : longest
  }
}

/** Whether a rule applies to a channel. Only rules against noise can be switched off. */
export function isInForce(
  { isNoise, name }: Pick<Policy, 'isNoise' | 'name'>,
  { hasNoiseRules }: Pick<Candidate, 'hasNoiseRules'>,
  { noise }: Pick<JudgeContext, 'noise'>,
): boolean {
  return !isNoise || (hasNoiseRules && !(noise.off as readonly string[]).includes(name))
}

/** A policy's saved state; a new one if the saved one is damaged. */
function restored(policy: Policy, saved: unknown): unknown {
  return attempt(() => policy.restore(saved)) ?? policy.restore(undefined)
}

/** Runs a policy without it throwing, such as for state that is damaged or of another version. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
