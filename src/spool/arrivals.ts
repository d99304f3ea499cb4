import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { byAcceptance } from '../acceptance-order.ts'

export interface Arrival {
  /** The name of the file, which begins with the id of the event. */
  id: string
  /** The modification time, Unix ms. */
  acceptedAt: number
  bytes: number
}

/** Lists the files of a folder, oldest first. The time and the size of each file are read only once. */
export class Arrivals {
  readonly #folder: string
  #known: readonly Arrival[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  /** @throws the system error where the folder cannot be read */
  list(): readonly Arrival[] {
    const names = new Set(readdirSync(this.#folder))
    const before = this.#known.filter(({ id }) => names.delete(id))
    const added = [...names].map((id) => this.#look(id))
    this.#known = added.length > 0 ? [...before, ...added].sort(byAcceptance) : before
    return this.#known
  }

  #look(id: string): Arrival {
    const { mtimeMs = 0, size = 0 } =
      lstatSync(join(this.#folder, id), { throwIfNoEntry: false }) ?? {}
    return { id, acceptedAt: mtimeMs, bytes: size }
  }
}
