import type { Message } from '../types/index.ts'

/** The text of a message: its text blocks, with a blank line between them. Empty if it has none, or is undefined. */
export function textOf(message: Pick<Message, 'content'> | undefined): string {
  const { content } = Object(message)
  const blocks = Array.isArray(content) ? content : []
  const texts = blocks.flatMap((block) =>
    block?.type === 'text' ? [String(block.text ?? '')] : [],
  )
  return texts.join('\n\n')
}
