import { cutMiddle, cutText } from '../text/clean.ts'

/** The letter of an item, as in `A) ` or `- **B:** `. */
const LETTERED =
  /^(?:[-*+•]\s+)?[*_]{0,2}[（(]?[A-Za-z](?:[.)）:：][*_]{0,2}|[*_]{1,2}[.)）:：])(?:\s|$|(?<=[）：]))/

/** The same word at the start of each item, with a letter or number, as in `Variante A: ` or `- **方案一**：`. */
const NAMED =
  /^(?:[-*+•]\s+|\d{1,2}[.)]\s+)?[*_]{0,2}(\p{L}{2,20}?|\p{Lo})\s?(?:[A-Z]|\d{1,2}|[一二三四五甲乙丙丁])[*_]{0,2}\s?[*_]{0,2}[:：.)）(（–—-]/u

const NUMBER = /^(\d{1,2})(?:[.)]\s|[、．])|^（(\d{1,2})）|^(\d)\ufe0f?\u20e3/

const GAP = '\n\n…'

/** In less there is room for the opening alone. */
const ROOM_FOR_BOTH = 60

const SUMMARY =
  /(?:\b|_)(summary|in short|tl;?dr|result|outcome|what (i )?(changed|did)|changes|done|zusammenfassung)(?:\b|_)/i

/** What stands together: a text with the heading above it and the lists, tables and code below it. */
type Passage = readonly Block[]

/** A part of an answer in Markdown. */
export interface Block {
  text: string
  type: 'text' | 'list' | 'table' | 'code' | 'heading'
}

/** Splits into paragraphs; a fenced code block is one, whatever it contains. */
export function blocksOf(message: string): Block[] {
  const blocks: Block[] = []
  let lines: string[] = []
  let fence = ''
  const close = (type?: Block['type']) => {
    const text = lines.join('\n').trim()
    if (text) blocks.push({ text, type: type ?? typeOf(lines) })
    lines = []
  }
  for (const line of message.split('\n')) {
    const [, mark = ''] = /^\s*(`{3,}|~{3,})/.exec(line) ?? []
    if (!fence && mark) {
      close()
      fence = mark
      lines.push(line)
    } else if (fence) {
      lines.push(line)
      if (!mark.startsWith(fence)) continue
      fence = ''
      close('code')
    } else if (line.trim() === '' || (lines.length === 0 && isRule(line))) close()
    else {
      // A heading, and the first item of a list after its introduction, begin a new block.
      if (isHeading(line) || (isItem(line) && typeOf(lines) === 'text')) close()
      lines.push(line)
      if (isHeading(line)) close()
    }
  }
  close(fence ? 'code' : undefined)
  return blocks
}

function typeOf(lines: readonly string[]): Block['type'] {
  const [first = ''] = lines
  if (isHeading(first)) return 'heading'
  if (/^\s*\|/.test(first)) return 'table'
  return isItem(first) || shareName(lines) ? 'list' : 'text'
}

function isHeading(line: string): boolean {
  return /^\s{0,3}#{1,6}\s/.test(line) || /^\s*(\*\*|__)[^*_]+\1:?\s*$/.test(line)
}

/** A line between sections. Directly below a text, it makes that a heading. */
function isRule(line: string): boolean {
  return /^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(line)
}

export function isItem(line: string): boolean {
  return /^\s*(([-*+•]|\d{1,3}[.)]|[A-Za-z][.)])\s|\d{1,2}[、．]|[①-⑳]|\d\ufe0f?\u20e3|（\w{1,2}）)/.test(
    line,
  )
}

/** The block, with the text above it if it is a list or a table, which means little without that. */
export function withIntroduction(block: Block, before: Block | undefined): Block[] {
  const needsText = block.type === 'list' || block.type === 'table'
  return needsText && before?.type === 'text' ? [before, block] : [block]
}

/** A blank line where Markdown needs one: without it, a table or a list takes in the text below. */
export function joinBlocks(blocks: readonly Block[]): string {
  const parts = blocks.map(({ text }, index) => {
    const isBelowText = isItem(text) && blocks[index - 1]?.type === 'text'
    return `${index === 0 ? '' : isBelowText ? '\n' : '\n\n'}${text}`
  })
  return parts.join('')
}

/** Whether a list is one of choices in any language: by how its items are marked, and whether the question names two. */
export function areChoices(question: string, lines: readonly string[]): boolean {
  const items = lines.filter((line) => /^\S/.test(line))
  if (items.length < 2) return false
  if (items.every((item) => LETTERED.test(item))) return true
  if (shareName(items)) return true
  const named = new Set(question.match(/(?<![\w.])\d{1,2}(?![\w%]|\.\d)/g))
  const numbers = items.map((item) => NUMBER.exec(item)?.slice(1).find(Boolean))
  return numbers.filter((number) => number && named.has(number)).length > 1
}

/** Whether lines begin with the same word and a letter or number each, as in `Option A: ...` above `Option B: ...`. */
function shareName(lines: readonly string[]): boolean {
  const [name, ...others] = lines.map((line) => NAMED.exec(line)?.[1])
  return name !== undefined && others.length > 0 && others.every((other) => other === name)
}

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
