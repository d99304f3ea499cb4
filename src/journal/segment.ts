import { hashOf, JoinedIds } from './id-table.ts'
import { type Outline, outlineLine, parseLine } from './outline.ts'
import { eachLine, type Stretch } from './stretches.ts'

/** Fewer bytes than this are read in less time than it takes to compile the patterns for many. */
const FEW_BYTES = 64 * 1024

/** A sequence of entries, shared by all events of a segment that have the same sequence. */
export interface Path {
  /** For each entry its type and the channels that it names, one per line. */
  steps: readonly string[]
  /** Whether one of the entries is `accepted`. */
  isAccepted: boolean
}

/**
 * The counted facts about each event in a part of a journal file. They are in columns of numbers, so that saving and
 * reading them needs no step per event.
 */
export interface Segment {
  /** The offset in the file at which it begins, and that at which the next one begins. */
  start: number
  end: number
  ids: JoinedIds
  hashes: Uint32Array
  /** When each event was accepted, else the time of its first entry; Unix ms. */
  at: Float64Array
  /** The offset, from `start`, of the first line about each event. */
  offsets: Uint32Array
  paths: readonly Path[]
  /** For each event the index of its path in `paths`. */
  path: Uint32Array
}

interface Step extends Path {
  number: number
  next: Map<string, Step>
  /** The next step that was looked up last: mostly it is the same again. */
  last: { type: string; channels: string; step: Step } | undefined
}

export function segmentOf({ text, start }: Stretch): Segment {
  const builder = new SegmentBuilder()
  // The last line may be incomplete: it is being written, or a crash cut it.
  const lines = text.endsWith('\n') ? text : `${text}\n`
  const read = lines.length < FEW_BYTES ? parseLine : outlineLine
  eachLine(lines, (from, to) => {
    const outline = read(lines, from, to)
    if (outline) builder.add(outline, from)
  })
  return builder.finish(start, start + text.length)
}

export function pathOf(steps: readonly string[]): Path {
  return {
    steps,
    isAccepted: steps.some((step) => step === 'accepted' || step.startsWith('accepted\n')),
  }
}

class SegmentBuilder {
  readonly #ids: string[] = []
  readonly #at: number[] = []
  readonly #offsets: number[] = []
  readonly #steps: Step[] = []
  readonly #paths: Step[] = []
  readonly #root = stepOf([], -1)
  readonly #rows = new Map<string, number>()

  add({ id, at, type, channels }: Outline, offset: number) {
    let index = this.#rows.get(id)
    if (index === undefined) {
      index = this.#ids.push(id) - 1
      this.#rows.set(id, index)
      this.#at.push(at)
      this.#offsets.push(offset)
      this.#steps.push(this.#root)
    }
    if (type === 'accepted') this.#at[index] = at
    this.#steps[index] = this.#next(this.#steps[index] ?? this.#root, type, channels)
  }

  finish(start: number, end: number): Segment {
    return {
      start,
      end,
      // Joining copies the ids. A substring would keep the whole text in memory.
      ids: new JoinedIds(this.#ids.join('/')),
      hashes: Uint32Array.from(this.#ids, hashOf),
      at: Float64Array.from(this.#at),
      offsets: Uint32Array.from(this.#offsets),
      paths: this.#paths,
      path: Uint32Array.from(this.#steps, ({ number }) => number),
    }
  }

  #next(before: Step, type: string, channels: string): Step {
    const { last } = before
    if (last && last.type === type && last.channels === channels) return last.step
    const name = channels === '' ? type : `${type}\n${channels}`
    let step = before.next.get(name)
    if (!step) {
      step = stepOf([...before.steps, name], this.#paths.length)
      this.#paths.push(step)
      before.next.set(name, step)
    }
    before.last = { type, channels, step }
    return step
  }
}

function stepOf(steps: readonly string[], number: number): Step {
  return { ...pathOf(steps), number, next: new Map(), last: undefined }
}
