import type { api } from '../../api/endpoints/index.ts'
import type { CheckedInput } from '../world.ts'

type Added = CheckedInput<typeof api.sessions.messages.add>

/** The blocks of an added message: its text, then images, then files. */
export function contentOf({ text, images = [], files = [] }: Added, messageId: string) {
  return [
    { type: 'text', text, id: `text_${messageId}` },
    ...images.map(({ data, mediaType = 'image/png' }) => ({
      type: 'image',
      source: { type: 'base64', data, mediaType },
    })),
    ...files.map(({ data, mediaType = 'text/plain', name }) => ({
      type: 'document',
      name,
      source: { type: 'base64', data, mediaType },
    })),
  ]
}
