import * as z from 'zod'
import { once } from '../once.ts'
import { otherThan } from './open.ts'

const id = once(() => z.string().optional().describe('ID of the block'))
const source = once(() => z.unknown().optional().describe('The data, and how it is encoded'))

function block<const Type extends string, Fields extends z.ZodRawShape>(
  type: Type,
  name: string,
  fields: Fields,
) {
  return z
    .looseObject({ type: z.literal(type).describe('Type of the block'), ...fields })
    .meta({ id: name })
}

// The specification shows `text`; the others are from the public documentation.
const blocks = once(
  () =>
    [
      block('text', 'TextBlock', { text: z.string().describe('The text'), id: id() }),
      block('image', 'ImageBlock', { source: source(), id: id() }),
      block('thinking', 'ThinkingBlock', {
        thinking: z.string().describe('What the model thought'),
        signature: z.string().optional().describe('Signature of the model provider'),
        durationMs: z.number().optional().describe('How long it took, in milliseconds'),
        id: id(),
      }),
      block('redacted_thinking', 'RedactedThinkingBlock', { id: id() }),
      block('tool_use', 'ToolUseBlock', {
        id: z.string().describe('ID of the tool call'),
        name: z.string().describe('Name of the tool'),
        input: z.unknown().optional().describe('Input of the tool'),
      }),
      block('tool_result', 'ToolResultBlock', {
        toolUseId: z.string().describe('ID of the tool call that returned this result'),
        content: z.unknown().optional().describe('Text, or a list of blocks'),
        isError: z.boolean().optional().describe('Whether the tool failed'),
        id: id(),
      }),
      block('document', 'DocumentBlock', {
        name: z.string().optional().describe('File name'),
        source: source(),
        id: id(),
      }),
    ] as const,
)

export const ContentBlock = once(() =>
  z.union([...blocks(), otherBlock()]).meta({ id: 'ContentBlock' }),
)

function otherBlock() {
  const known = blocks().map(({ shape }) => shape.type.value)
  const type = otherThan(known, 'expected a block of this type')
  return z
    .looseObject({ type: type.describe('A type that this version does not know') })
    .meta({ id: 'OtherBlock' })
}
