import { fieldOf, isPayload, type Payload, textOf } from '../../event/payload.ts'
import { blockText, entriesAt, objectsOf, parsed, timeOf } from './_fields.ts'
import { callsOf } from './claude.ts'
import type { EntryContent, TranscriptReader } from './entry.ts'

export const droid: TranscriptReader = {
  read: (records) => records.flatMap((record) => entriesAt(timeOf(record), contentsOf(record))),
  sidecar: {
    pathOf: (path) => path.replace(/\.jsonl$/, '.settings.json'),
    read(text) {
      const settings = parsed(text)
      if (!isPayload(settings)) return {}
      const model = textOf(settings, 'model')
      const isExec = objectsOf(settings, 'tags').some(({ name }) => name === 'exec')
      return { ...(model && { model }), ...(isExec && { isHeadless: true }) }
    },
  },
}

function contentsOf(record: Payload): EntryContent[] {
  switch (record.type) {
    case 'session_start': {
      const title = textOf(record, 'title')
      return title ? [{ type: 'session', title }] : []
    }
    case 'agent_turn_outcome':
      return outcomeOf(textOf(record, 'reason'))
    // Older versions and other tools leave the type out.
    case 'message':
    case undefined:
      return messageOf(record)
    default:
      return []
  }
}

function outcomeOf(reason: string): EntryContent[] {
  if (reason === 'completed') return [{ type: 'end', outcome: 'completed', reason }]
  if (/abort|cancel|interrupt/i.test(reason))
    return [{ type: 'end', outcome: 'interrupted', reason }]
  return /err|fail/i.test(reason) ? [{ type: 'end', outcome: 'failed', reason }] : []
}

/** Skips messages with a visibility, which are notes of the client: runs of hooks, its instructions to the model. */
function messageOf(record: Payload): EntryContent[] {
  if (fieldOf(record, 'message.visibility') !== undefined) return []
  const blocks = objectsOf(record, 'message.content')
  const text = blockText(fieldOf(record, 'message.content'))
  const results = blocks.filter(({ type }) => type === 'tool_result')
  const model = textOf(record, 'message.modelId')
  switch (fieldOf(record, 'message.role')) {
    case 'user':
      return [
        ...results.map((one): EntryContent => ({ type: 'result', id: textOf(one, 'tool_use_id') })),
        ...(text && results.length === 0 ? [{ type: 'prompt' as const, text }] : []),
      ]
    case 'assistant':
      return [
        ...(text ? [{ type: 'answer' as const, text }] : []),
        ...callsOf(blocks),
        ...(model ? [{ type: 'session' as const, model }] : []),
      ]
    default:
      return []
  }
}
