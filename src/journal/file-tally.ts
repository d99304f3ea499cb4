import type { Outline } from './outline.ts'

/** Kinds of entries in their order, shared by all events of a file that had the same. */
export interface Path {
  /** An entry's type, and the channels that it names, one per line. */
  steps: readonly string[]
  next: Map<string, Path>
}

/** What one file says of one event. */
export interface FileRecord {
  id: string
  /** When it was accepted, else the time of its first entry. */
  at: number
  path: Path
}

/** What can be written down and read again. */
export interface SavedTally {
  paths: (readonly string[])[]
  ids: string
  at: number[]
  path: number[]
}

/** What one file of the journal says of each event, as far as it is counted. */
export class FileTally {
  readonly records: FileRecord[] = []
  readonly #root: Path = { steps: [], next: new Map() }
  #open: Map<string, FileRecord> | undefined = new Map()

  /** @throws what cannot be read of something that was not saved by `save` */
  static restore({ paths, ids, at, path }: SavedTally): FileTally {
    const tally = new FileTally()
    const known = paths.map((steps) => steps.reduce(nextPath, tally.#root))
    const all = ids === '' ? [] : ids.split('\n')
    if (at.length !== all.length || path.length !== all.length) throw new Error('not whole')
    for (const [index, id] of all.entries()) {
      const own = known[path[index] ?? -1]
      const time = at[index]
      if (own === undefined || typeof time !== 'number') throw new Error('not whole')
      tally.records.push({ id, at: time, path: own })
    }
    tally.#open = undefined
    return tally
  }

  add({ id, at, type, channels }: Outline) {
    const open = this.#openRecords()
    let record = open.get(id)
    if (!record) {
      // A copy, since a part of a text keeps all of it in memory.
      record = { id: Buffer.from(id).toString(), at, path: this.#root }
      open.set(record.id, record)
      this.records.push(record)
    }
    if (type === 'accepted') record.at = at
    record.path = nextPath(record.path, channels === '' ? type : `${type}\n${channels}`)
    // What comes after it begins anew.
    if (type === 'dropped') open.delete(id)
  }

  save(): SavedTally {
    const numbers = new Map<Path, number>()
    const path = this.records.map((record) => {
      const number = numbers.get(record.path) ?? numbers.size
      numbers.set(record.path, number)
      return number
    })
    return {
      paths: [...numbers.keys()].map(({ steps }) => steps),
      ids: this.records.map(({ id }) => id).join('\n'),
      at: this.records.map(({ at }) => at),
      path,
    }
  }

  /** Needed only where the file goes on. */
  #openRecords(): Map<string, FileRecord> {
    if (this.#open) return this.#open
    this.#open = new Map(this.records.map((record) => [record.id, record]))
    for (const { id, path } of this.records) {
      if (path.steps.at(-1) === 'dropped' && this.#open.get(id)?.path === path) {
        this.#open.delete(id)
      }
    }
    return this.#open
  }
}

function nextPath(path: Path, step: string): Path {
  let next = path.next.get(step)
  if (!next) {
    next = { steps: [...path.steps, step], next: new Map() }
    path.next.set(step, next)
  }
  return next
}
