import { fieldOf, isPayload, type Payload, textOf } from '../../event/payload.ts'
import { blockText, countOf, entriesAt, objectsOf, timeOf, tokensOf } from './_fields.ts'
import type { EntryContent, TranscriptReader } from './entry.ts'

export const qwen: TranscriptReader = {
  read: (records) => records.flatMap((record) => entriesAt(timeOf(record), contentsOf(record))),
}

function contentsOf(record: Payload): EntryContent[] {
  const parts = objectsOf(record, 'message.parts')
  switch (record.type) {
    case 'user': {
      const text = blockText(parts)
      return record.provenance === 'real_user' && text ? [{ type: 'prompt', text }] : []
    }
    case 'assistant':
      return [...answerOf(parts), ...callsOf(parts), ...factsOf(record)]
    case 'tool_result':
      return parts
        .map((part) => part.functionResponse)
        .filter(isPayload)
        .map((one) => ({ type: 'result', id: textOf(one, 'id') }))
    case 'system': {
      const title = textOf(record, 'systemPayload.customTitle', 'systemPayload.title')
      return record.subtype === 'custom_title' && title ? [{ type: 'session', title }] : []
    }
    default:
      return []
  }
}

/** Skips thoughts, which are parts too. */
function answerOf(parts: readonly Payload[]): EntryContent[] {
  const text = blockText(parts.filter(({ thought }) => thought !== true))
  return text ? [{ type: 'answer', text }] : []
}

function callsOf(parts: readonly Payload[]): EntryContent[] {
  return parts
    .map((part) => part.functionCall)
    .filter(isPayload)
    .map((one) => ({
      type: 'call',
      id: textOf(one, 'id'),
      name: textOf(one, 'name'),
      input: fieldOf(one, 'args'),
    }))
}

function factsOf(record: Payload): EntryContent[] {
  const tokens = tokensOf(
    countOf(record, 'usageMetadata.promptTokenCount'),
    countOf(record, 'usageMetadata.cachedContentTokenCount'),
    countOf(record, 'usageMetadata.candidatesTokenCount'),
  )
  const model = textOf(record, 'model')
  return [
    ...(tokens ? [{ type: 'usage' as const, id: textOf(record, 'uuid'), tokens }] : []),
    ...(model ? [{ type: 'session' as const, model }] : []),
  ]
}
