import { fieldOf, isPayload, type Payload, textOf } from '../../event/payload.ts'
import {
  answerOf,
  blockText,
  countOf,
  entriesAt,
  modelOf,
  objectsOf,
  promptOf,
  timeOf,
  usageOf,
} from './_fields.ts'
import type { Entry, EntryContent, TranscriptReader } from './entry.ts'

/** A message may be written again under its id, and the whole list may be replaced; the last state counts. */
export const gemini: TranscriptReader = {
  read: (records) => messagesOf(records).flatMap(entriesOf).filter(isLastOfTurn),
}

/** The client may also show an error and go on, as with another model. */
function isLastOfTurn({ type }: Entry, index: number, entries: readonly Entry[]): boolean {
  if (type !== 'end') return true
  const next = entries.slice(index + 1).find((one) => /^(prompt|answer|call)$/.test(one.type))
  return next === undefined || next.type === 'prompt'
}

function messagesOf(records: readonly Payload[]): Payload[] {
  let messages = new Map<string, Payload>()
  for (const record of records) {
    const replaced = fieldOf(record, '$set.messages')
    const added = Array.isArray(replaced)
      ? [...replaced.filter(isPayload), ...leftOut([...messages.values()])]
      : [record]
    if (Array.isArray(replaced)) messages = new Map()
    for (const one of added) {
      if (!/^(user|gemini|info|error)$/.test(textOf(one, 'type'))) continue
      messages.set(textOf(one, 'id') || `#${messages.size}`, one)
    }
  }
  return [...messages.values()]
}

/** The turn that a person has just stopped, or whose prompt got no answer. The new list of messages leaves it out. */
function leftOut(messages: readonly Payload[]): Payload[] {
  const start = messages.findLastIndex((one) => one.type === 'user' && userOf(one).length > 0)
  const turn = start < 0 ? [] : messages.slice(start)
  if (!turn.some(({ type }) => type === 'gemini')) return turn
  const end = turn.findLastIndex((one) => one.type === 'info' && endOf(one).length > 0)
  return turn.slice(0, end + 1)
}

function entriesOf(record: Payload): Entry[] {
  const at = timeOf(record)
  if (record.type === 'user') return entriesAt(at, userOf(record))
  if (record.type !== 'gemini') return entriesAt(at, endOf(record))
  const said = [
    ...answerOf(blockText(record.content)),
    ...usageIn(record),
    ...modelOf(textOf(record, 'model')),
  ]
  const calls = objectsOf(record, 'toolCalls')
  return [...entriesAt(at, said), ...calls.flatMap((call) => callOf(call, at))]
}

/** What the terminal shows to the person (0.61.0, useGeminiStream and useHistoryManager): the turn ends with it. */
function endOf(record: Payload): EntryContent[] {
  const shown = textOf(record, 'content')
  if (record.type === 'error') {
    const [, reason = shown] = /^\[API Error: ([\s\S]*)\](\n|$)/.exec(shown) ?? []
    return [{ type: 'end', outcome: 'failed', reason }]
  }
  const isStopped = /^(Request cancelled|User cancelled the request)\.$/.test(shown)
  return isStopped ? [{ type: 'end', outcome: 'interrupted', reason: shown }] : []
}

function userOf(record: Payload): EntryContent[] {
  const parts = objectsOf(record, 'content')
  if (parts.some(({ functionResponse }) => functionResponse !== undefined)) return []
  return promptOf(blockText(record.content))
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

function usageIn(record: Payload): EntryContent[] {
  return usageOf(textOf(record, 'id'), {
    input: countOf(record, 'tokens.input'),
    cached: countOf(record, 'tokens.cached'),
    output: countOf(record, 'tokens.output'),
  })
}
