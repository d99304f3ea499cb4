import type { Faults } from './faults.ts'
import type { Resting } from './resting.ts'

/**
 * Claims that could be neither handled nor given back, such as while a network disk did not respond. Only this worker can
 * try them again.
 */
export class Unreleased {
  readonly #resting: Resting
  readonly #faults: Faults
  /** By name: how to give it back. */
  readonly #claims = new Map<string, () => Promise<string>>()

  constructor(resting: Resting, faults: Faults) {
    this.#resting = resting
    this.#faults = faults
  }

  /** Gives a claim back, or keeps it for later. @returns its name from then on; undefined if it is kept */
  async release(name: string, release: () => Promise<string>): Promise<string | undefined> {
    try {
      return await release()
    } catch (error) {
      this.#faults.note(name, error)
      this.#claims.set(name, release)
      return undefined
    }
  }

  forget(name: string) {
    this.#claims.delete(name)
  }

  /** Gives back those whose pause is over. */
  async tryAgain() {
    for (const [name, release] of [...this.#claims]) {
      if (this.#resting.has(name)) continue
      const times = this.#resting.timesOf(name) + 1
      this.#claims.delete(name)
      if ((await this.release(name, release)) === undefined) this.#resting.add(name, times)
    }
  }
}
