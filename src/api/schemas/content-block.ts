import * as z from 'zod'
import { once } from '../core/once.ts'
import { type Open, otherThan } from './open.ts'

// The specification shows `text`; the others are public documentation.
export const contentBlockTypes = [
  'text',
  'image',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'document',
] as const

const fields = once(() => ({
  id: z.string().optional().describe('ID of the block, or of the tool call in `tool_use`'),
  text: z.string().optional().describe('Text of a `text` block'),
  thinking: z.string().optional().describe('Text of a `thinking` block'),
  signature: z.string().optional().describe('Signature of a `thinking` block'),
  durationMs: z.number().optional().describe('How long the thinking took, in milliseconds'),
  name: z.string().optional().describe('Name of the tool in `tool_use`'),
  input: z.unknown().optional().describe('Input of the tool in `tool_use`'),
  toolUseId: z.string().optional().describe('ID of the tool call a `tool_result` answers'),
  content: z.unknown().optional().describe('Text or blocks of a `tool_result`'),
  isError: z.boolean().optional().describe('Whether the tool failed, in `tool_result`'),
  source: z.unknown().optional().describe('Data of an `image` or `document`'),
}))

/** A block of a type we do not know may use these names for something else: look at `type` first. */
export type ContentBlock = z.output<z.ZodObject<ReturnType<typeof fields>, z.core.$loose>> & {
  type: Open<(typeof contentBlockTypes)[number]>
}

export const ContentBlock = once(() => {
  const type = z.enum(contentBlockTypes).describe('What the block is')
  const known = z.looseObject({ type, ...fields() })
  const block: unknown = z.union([known, otherBlock()]).meta({ id: 'ContentBlock' })
  return block as z.ZodType<ContentBlock, ContentBlock>
})

function otherBlock() {
  const type = otherThan(contentBlockTypes, 'expected a block of this type')
  return z.looseObject({ type: type.describe('A type that this version does not know') })
}
