import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { byAcceptance } from '../acceptance-order.ts'

interface Arrival {
  /** The name of the file, which begins with the id of the event. */
  id: string
  /** The modification time, Unix ms. */
  acceptedAt: number
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
    const before = this.#known.filter(({ id }) => names.delete(id))
    const added = [...names].map((id) => ({ id, acceptedAt: this.#timeOf(id) }))
    this.#known = added.length > 0 ? [...before, ...added].sort(byAcceptance) : before
    return this.#known.map(({ id }) => id)
  }

  #timeOf(name: string): number {
    return lstatSync(join(this.#folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
  }
}
