import type { WireFormat } from './wire-format.ts'

/** Gemini's content generation. */
export const gemini: WireFormat = {
  path: /:(stream)?[gG]enerateContent$/,
  answer(text, { path }) {
    const answer = {
      candidates: [
        { index: 0, content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' },
      ],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: 'fake',
    }
    return path.includes(':stream') ? { events: [{ data: answer }] } : { json: answer }
  },
}
