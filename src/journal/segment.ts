import { hashOf, JoinedIds } from './id-table.ts'
import { type Outline, outlineLine } from './outline.ts'
import { eachLine, type Stretch } from './stretches.ts'

/** Kinds of entries in their order, shared by all events of a segment that had the same. */
export interface Path {
  /** An entry's type, and the channels that it names, one per line. */
  steps: readonly string[]
  /** Whether one of them says when it was accepted. */
  isAccepted: boolean
  /** Whether the last of them ends all that is known of the event. */
  isDropped: boolean
}

/**
 * What a part of a file of the journal says of each event, as far as it is counted. Columns of numbers: so it is
 * saved and read again without a step per event.
 */
export interface Segment {
  /** Where it begins in the file, and where the next one begins. */
  start: number
  end: number
  ids: JoinedIds
  hashes: Uint32Array
  /** When each was accepted, else the time of its first entry; Unix ms. */
  at: Float64Array
  /** Where the first line about each begins, counted from `start`. */
  offsets: Uint32Array
  paths: readonly Path[]
  /** Which of the paths each went. */
  path: Uint32Array
}

interface Step extends Path {
  number: number
  next: Map<string, Step>
  /** The step that was taken last: mostly it is the same again. */
  last: { type: string; channels: string; step: Step } | undefined
}

export function segmentOf({ text, start }: Stretch): Segment {
  const builder = new SegmentBuilder()
  // A line that is being written, or that a crash cut.
  const lines = text.endsWith('\n') ? text : `${text}\n`
  eachLine(lines, (from, to) => {
    const outline = outlineLine(lines, from, to)
    if (outline) builder.add(outline, from)
  })
  return builder.finish(start, start + text.length)
}

export function pathOf(steps: readonly string[]): Path {
  return {
    steps,
    isAccepted: steps.some((step) => step === 'accepted' || step.startsWith('accepted\n')),
    isDropped: steps.at(-1) === 'dropped',
  }
}

class SegmentBuilder {
  readonly #ids: string[] = []
  readonly #at: number[] = []
  readonly #offsets: number[] = []
  readonly #steps: Step[] = []
  readonly #paths: Step[] = []
  readonly #root = stepOf([], -1)
  readonly #open = new Map<string, number>()

  add({ id, at, type, channels }: Outline, offset: number) {
    let index = this.#open.get(id)
    if (index === undefined) {
      index = this.#ids.push(id) - 1
      this.#open.set(id, index)
      this.#at.push(at)
      this.#offsets.push(offset)
      this.#steps.push(this.#root)
    }
    if (type === 'accepted') this.#at[index] = at
    this.#steps[index] = this.#next(this.#steps[index] ?? this.#root, type, channels)
    // What comes after it begins anew.
    if (type === 'dropped') this.#open.delete(id)
  }

  finish(start: number, end: number): Segment {
    return {
      start,
      end,
      // Joined is copied: a part of a text keeps all of it in memory.
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
