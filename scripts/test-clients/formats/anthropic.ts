import type { WireFormat } from './wire-format.ts'

/** Anthropic's messages. */
export const anthropic: WireFormat = {
  path: /\/v1\/messages$/,
  answer(text, { stream }) {
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'fake',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    const content = { type: 'text', text }
    if (!stream) return { json: { ...message, content: [content], stop_reason: 'end_turn' } }
    const parts: ({ type: string } & Record<string, unknown>)[] = [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 1 },
      },
      { type: 'message_stop' },
    ]
    return { events: parts.map((data) => ({ event: data.type, data })) }
  },
}
