import type { WireFormat } from './wire-format.ts'

/** OpenAI's responses. */
export const openaiResponses: WireFormat = {
  path: /\/responses$/,
  answer(text) {
    const item = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text, annotations: [] }],
    }
    const usage = {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    }
    const response = {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      output: [item],
      usage,
    }
    const parts: ({ type: string } & Record<string, unknown>)[] = [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
      { type: 'response.output_text.delta', item_id: item.id, output_index: 0, delta: text },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ]
    return { events: parts.map((data) => ({ event: data.type, data })) }
  },
}
