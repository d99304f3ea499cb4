import { type Outcome, outcomes } from './history.ts'
import type { TalliedEvent, Tally } from './tally.ts'

/** The tallies of several journals as one. */
export class Tallies {
  readonly #tallies: readonly Tally[]

  constructor(tallies: readonly Tally[]) {
    this.#tallies = tallies
  }

  /** All events, oldest first. Slow for many. */
  all(): TalliedEvent[] {
    return this.#inOrder((tally) => tally.events())
  }

  count(): Record<Outcome, number> {
    const counts = this.#tallies.map((tally) => tally.count())
    const sumOf = (outcome: Outcome) => counts.reduce((sum, one) => sum + one[outcome], 0)
    return Object.fromEntries(outcomes.map((outcome) => [outcome, sumOf(outcome)])) as Record<
      Outcome,
      number
    >
  }

  /** How many have something in dead/, whatever their outcome is. */
  countDead(): number {
    return this.#tallies.reduce((sum, tally) => sum + tally.countDead(), 0)
  }

  /** The last ones, oldest first. */
  latest(limit: number): TalliedEvent[] {
    return this.#inOrder((tally) => tally.latest(limit)).slice(-limit)
  }

  oldest(outcome: Outcome): TalliedEvent | undefined {
    return this.#inOrder((tally) => tally.oldest(outcome) ?? [])[0]
  }

  /** By channel name: the last event that has a status on that channel. */
  latestByChannel(): ReadonlyMap<string, TalliedEvent> {
    const latest = this.#tallies.flatMap((tally) => [...tally.latestByChannel()])
    // For equal names, the Map keeps the last one.
    return new Map(latest.sort(([, a], [, b]) => a.acceptedAt - b.acceptedAt))
  }

  #inOrder(choose: (tally: Tally) => TalliedEvent | readonly TalliedEvent[]): TalliedEvent[] {
    const events = this.#tallies.flatMap(choose)
    if (this.#tallies.length > 1) events.sort((a, b) => a.acceptedAt - b.acceptedAt)
    return events
  }
}
