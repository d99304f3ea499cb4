import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

interface Arrival {
  name: string
  /** The modification time, which is the time of acceptance, Unix ms. */
  at: number
}

/** Lists the files of a folder, oldest first. The time of each file is read only once. */
export class Arrivals {
  readonly #folder: string
  #known: readonly Arrival[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  /** @throws the system error where the folder cannot be read */
  list(): string[] {
    const names = new Set(readdirSync(this.#folder))
    const before = this.#known.filter(({ name }) => names.delete(name))
    const added = [...names].map((name) => ({ name, at: this.#timeOf(name) }))
    this.#known = added.length > 0 ? [...before, ...added].sort((a, b) => a.at - b.at) : before
    return this.#known.map(({ name }) => name)
  }

  #timeOf(name: string): number {
    return lstatSync(join(this.#folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
  }
}
