import { fieldOf, isPayload, type Payload, textOf } from '../../event/payload.ts'
import { blockText, countOf, entriesAt, objectsOf, timeOf, tokensOf } from './_fields.ts'
import type { Entry, EntryContent, TranscriptReader } from './entry.ts'

/** A message may be written again under its id, and the whole list may be replaced; the last state counts. */
export const gemini: TranscriptReader = {
  read: (records) => messagesOf(records).flatMap(entriesOf),
}

function messagesOf(records: readonly Payload[]): Payload[] {
  let messages = new Map<string, Payload>()
  for (const record of records) {
    const replaced = fieldOf(record, '$set.messages')
    if (Array.isArray(replaced)) messages = new Map()
    const added = Array.isArray(replaced) ? replaced.filter(isPayload) : [record]
    for (const one of added) {
      if (one.type !== 'user' && one.type !== 'gemini') continue
      messages.set(textOf(one, 'id') || `#${messages.size}`, one)
    }
  }
  return [...messages.values()]
}

function entriesOf(record: Payload): Entry[] {
  const at = timeOf(record)
  if (record.type === 'user') return entriesAt(at, userOf(record))
  const text = blockText(record.content)
  const calls = objectsOf(record, 'toolCalls')
  return [
    ...entriesAt(at, [...(text ? [{ type: 'answer' as const, text }] : []), ...factsOf(record)]),
    ...calls.flatMap((call) => callOf(call, at)),
  ]
}

function userOf(record: Payload): EntryContent[] {
  const parts = objectsOf(record, 'content')
  if (parts.some(({ functionResponse }) => functionResponse !== undefined)) return []
  const text = blockText(record.content)
  return text ? [{ type: 'prompt', text }] : []
}

/** A call is written together with its result, and has the time of the result. */
function callOf(call: Payload, at: number | undefined): Entry[] {
  const [id, name] = [textOf(call, 'id'), textOf(call, 'name')]
  const isOver = call.result !== undefined || call.status !== undefined
  return [
    { type: 'call', id, name, input: call.args, at },
    ...(isOver ? [{ type: 'result' as const, id, at: timeOf(call) ?? at }] : []),
  ]
}

function factsOf(record: Payload): EntryContent[] {
  const tokens = tokensOf(
    countOf(record, 'tokens.input'),
    countOf(record, 'tokens.cached'),
    countOf(record, 'tokens.output'),
  )
  const model = textOf(record, 'model')
  return [
    ...(tokens ? [{ type: 'usage' as const, id: textOf(record, 'id'), tokens }] : []),
    ...(model ? [{ type: 'session' as const, model }] : []),
  ]
}
