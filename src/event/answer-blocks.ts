import { shareName } from './choices.ts'

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
