import { cutMiddle, cutText } from '../text/clean.ts'
import { type Block, joinBlocks } from './answer-blocks.ts'

const GAP = '\n\n…'
/** In less there is room for the opening alone. */
const ROOM_FOR_BOTH = 60

const SUMMARY =
  /(?:\b|_)(summary|in short|tl;?dr|result|outcome|what (i )?(changed|did)|changes|done|zusammenfassung)(?:\b|_)/i

/** What stands together: a text with the heading above it and the lists, tables and code below it. */
type Passage = readonly Block[]

/**
 * The blocks of an answer in their order. Where there is too much, the middle is left out: the opening stays, what was done,
 * and the last passage. Code never stands without its sentence.
 */
export function inOrder(blocks: readonly Block[], max: number): string {
  const whole = joinBlocks(blocks)
  if (whole.length <= max) return whole
  if (max < ROOM_FOR_BOTH) return cutText(whole, max)
  const passages = passagesOf(blocks)
  const shown = ends(passages, max)
  const add = (at: number) => {
    const more = new Map(shown).set(at, joinBlocks(passages[at] ?? []))
    const fits = shown.has(at) || assemble(more, passages.length).length <= max
    if (fits && !shown.has(at)) shown.set(at, more.get(at) ?? '')
    return fits
  }
  summaryIn(passages).forEach(add)
  passages.every((_, at) => add(at))
  return assemble(shown, passages.length) || cutText(whole, max)
}

function passagesOf(blocks: readonly Block[]): Passage[] {
  const passages: Block[][] = []
  for (const block of blocks) {
    const last = passages.at(-1)
    const begins = block.type === 'text' || block.type === 'heading'
    if (last && (!begins || last.every(({ type }) => type === 'heading'))) last.push(block)
    else passages.push([block])
  }
  return passages
}

/** The first and the last passage. Each has half of the room, and what the other leaves. */
function ends(passages: readonly Passage[], max: number): Map<number, string> {
  const [first = [], last = []] = [passages[0], passages.at(-1)]
  if (passages.length < 2) return new Map([[0, fit(first, max)]])
  const room = max - 2 * GAP.length
  const half = Math.floor(room / 2)
  const end = fit(last, room - Math.min(joinBlocks(first).length, half))
  const start = fit(first, room - end.length)
  return new Map([
    [0, start],
    [passages.length - 1, end],
  ])
}

/** Leaves out the code, then the middle. '' for code alone: the rest of it would take in the text below. */
function fit(passage: Passage, max: number): string {
  const whole = joinBlocks(passage)
  if (whole.length <= max) return whole
  const spoken = joinBlocks(passage.filter(({ type }) => type !== 'code'))
  if (spoken === '') return ''
  const isCut = spoken.length < whole.length
  if (isCut && spoken.length + GAP.length <= max) return spoken + GAP
  return cutMiddle(spoken, max)
}

/** Where the section is that says what was done; nowhere if there is none. */
function summaryIn(passages: readonly Passage[]): number[] {
  const isHeaded = ([first]: Passage) => first?.type === 'heading'
  const from = passages.findLastIndex((one) => isHeaded(one) && SUMMARY.test(one[0]?.text ?? ''))
  const to = passages.findIndex((one, at) => at > from && isHeaded(one))
  return from < 0 ? [] : [...passages.keys()].slice(from, to < 0 ? undefined : to)
}

function assemble(shown: ReadonlyMap<number, string>, count: number): string {
  const places = [...shown.keys()].sort((a, b) => a - b)
  const parts = places.map((at, index) => {
    const isNext = index === 0 ? at === 0 : places[index - 1] === at - 1
    return `${isNext ? '' : `${GAP}\n\n`}${index > 0 && isNext ? '\n\n' : ''}${shown.get(at)}`
  })
  const isWhole = places.at(-1) === count - 1
  return (parts.join('') + (isWhole ? '' : GAP)).replace(/(\n\n…)+/g, GAP).trim()
}
