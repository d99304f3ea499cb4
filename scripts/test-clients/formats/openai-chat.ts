import type { WireFormat } from './wire-format.ts'

/** OpenAI's chat completions, as many servers speak them. */
export const openaiChat: WireFormat = {
  path: /\/chat\/completions$/,
  answer(text, { stream }) {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    const head = { id: 'chat_1', created: 1, model: 'fake' }
    const message = { role: 'assistant', content: text }
    if (!stream) {
      const choices = [{ index: 0, message, finish_reason: 'stop' }]
      return { json: { ...head, object: 'chat.completion', choices, usage } }
    }
    const chunk = { ...head, object: 'chat.completion.chunk' }
    return {
      events: [
        { data: { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] } },
        { data: { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage } },
        { data: '[DONE]' },
      ],
    }
  },
}
