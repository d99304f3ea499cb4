/** Replaces `length` characters at `offset` of the old text. */
export interface Edit {
  offset: number
  length: number
  text: string
}

/** What an edit became: `length` characters at `offset` of the new text, in place of `removed`. */
export interface Span {
  offset: number
  length: number
  removed: string
}

/** Applies edits that do not overlap. Edits at one offset keep their order. */
export function splice(text: string, edits: readonly Edit[]): { text: string; spans: Span[] } {
  const spans: Span[] = []
  let result = ''
  let read = 0
  for (const edit of edits.toSorted((a, b) => a.offset - b.offset)) {
    result += text.slice(read, edit.offset)
    read = edit.offset + edit.length
    spans.push({
      offset: result.length,
      length: edit.text.length,
      removed: text.slice(edit.offset, read),
    })
    result += edit.text
  }
  return { text: result + text.slice(read), spans }
}

/** The text before the splice that reported these spans. */
export function unsplice(text: string, spans: readonly Span[]): string {
  return spans.reduceRight(
    (result, { offset, length, removed }) =>
      result.slice(0, offset) + removed + result.slice(offset + length),
    text,
  )
}
