import { fieldOf, isPayload, type Payload, textOf } from '../../event/payload.ts'
import {
  answerOf,
  blockText,
  countOf,
  entriesOf,
  modelOf,
  objectsOf,
  promptOf,
  usageOf,
} from './_fields.ts'
import type { EntryContent, TranscriptReader } from './entry.ts'

export const qwen: TranscriptReader = {
  read: (records) => entriesOf(records, contentsOf),
}

function contentsOf(record: Payload): EntryContent[] {
  const parts = objectsOf(record, 'message.parts')
  switch (record.type) {
    case 'user':
      return isPromptOfPerson(record) ? promptOf(blockText(parts)) : []
    case 'assistant':
      return [
        ...answerOf(answerIn(parts)),
        ...callsOf(parts),
        ...usageIn(record),
        ...modelOf(textOf(record, 'model')),
      ]
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

/** One within a turn begins none, and is written at its end (0.24.4). */
function isPromptOfPerson({ provenance, subtype }: Payload): boolean {
  return provenance === 'real_user' && subtype !== 'mid_turn_user_message'
}

/** Skips thoughts, which are parts too. */
function answerIn(parts: readonly Payload[]): string {
  return blockText(parts.filter(({ thought }) => thought !== true))
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

function usageIn(record: Payload): EntryContent[] {
  const count = (name: string) => countOf(record, `usageMetadata.${name}`)
  return usageOf(textOf(record, 'uuid'), {
    input: count('promptTokenCount'),
    cached: count('cachedContentTokenCount'),
    output: count('candidatesTokenCount'),
  })
}
