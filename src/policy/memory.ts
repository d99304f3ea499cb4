import type { AcceptedEntry, JournalEntry } from '../journal/entry.ts'
import { policies as allPolicies } from './policies.ts'
import type { Candidate, JudgedEvent, Policy, Verdict } from './types.ts'

/** The first policy that objects to a candidate, or that none does. */
export interface Judgement {
  candidate: Candidate
  /** The policy that decided; '' where all agree to send. */
  by: string
  verdict: Verdict
}

/** What the policies remember: one plain value per policy, by its name. */
export type MemoryState = { [policy: string]: unknown }

/** All policies in their order, with what each remembers. A policy that throws is passed over: what is not known is told. */
export class Memory {
  readonly #policies: readonly Policy[]
  #state: MemoryState

  constructor(state: MemoryState = {}, policies: readonly Policy[] = allPolicies) {
    this.#policies = policies
    this.#state = Object.fromEntries(
      policies.map(({ name, initial }) => [name, state[name] ?? structuredClone(initial)]),
    )
  }

  /** Plain JSON, to be kept and given to the constructor again. */
  get state(): MemoryState {
    return this.#state
  }

  judge(event: JudgedEvent, candidates: readonly Candidate[]): Judgement[] {
    return candidates.map((candidate) => this.#judgeOne(event, candidate))
  }

  /** What the policies want the journal to keep about the event. */
  note(event: JudgedEvent): Partial<AcceptedEntry> {
    const notes = this.#policies.map((policy) =>
      attempt(() => policy.note?.(event, this.#state[policy.name])),
    )
    return Object.assign({}, ...notes)
  }

  fold(entry: JournalEntry) {
    for (const policy of this.#policies) {
      attempt(() => {
        this.#state[policy.name] = policy.fold(this.#state[policy.name], entry)
      })
    }
  }

  #judgeOne(event: JudgedEvent, candidate: Candidate): Judgement {
    for (const policy of this.#policies) {
      const verdict = attempt(() => policy.judge(event, candidate, this.#state[policy.name]))
      if (verdict && verdict.type !== 'send') return { candidate, by: policy.name, verdict }
    }
    return { candidate, by: '', verdict: { type: 'send' } }
  }
}

/** State of another version, or damaged: the rule does without. */
function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
