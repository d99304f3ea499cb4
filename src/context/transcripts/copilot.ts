import { dirname, join } from 'node:path'
import { fieldOf, type Payload, textOf } from '../../event/payload.ts'
import { countOf, entriesAt, objectsOf, parsed, timeOf, tokensOf } from './_fields.ts'
import type { EntryContent, TranscriptReader } from './entry.ts'

export const copilot: TranscriptReader = {
  read: (records) => records.flatMap((record) => entriesAt(timeOf(record), contentsOf(record))),
  sidecar: {
    pathOf: (path) => join(dirname(path), 'workspace.yaml'),
    // One line of a flat file: no reason for a YAML parser.
    read(text) {
      const [, title = ''] = /^name: *(.+)$/m.exec(text) ?? []
      const plain = title.trim().replace(/^(["'])(.*)\1$/, '$2')
      return plain ? { title: plain } : {}
    },
  },
}

function contentsOf(record: Payload): EntryContent[] {
  switch (record.type) {
    case 'user.message': {
      const text = textOf(record, 'data.content')
      return text ? [{ type: 'prompt', text }] : []
    }
    case 'assistant.message':
      return answerOf(record)
    case 'tool.execution_complete':
      return [{ type: 'result', id: textOf(record, 'data.toolCallId') }]
    case 'permission.completed':
      return [{ type: 'replied' }]
    case 'abort':
      return [{ type: 'end', outcome: 'interrupted', reason: textOf(record, 'data.reason') }]
    case 'session.error':
      return [{ type: 'end', outcome: 'failed', reason: textOf(record, 'data.message') }]
    case 'session.usage_record': {
      const usage = 'data.usage.'
      const tokens = tokensOf(
        countOf(record, `${usage}inputTokens`, `${usage}input_tokens`),
        countOf(record, `${usage}cacheReadTokens`, `${usage}cached_input_tokens`),
        countOf(record, `${usage}outputTokens`, `${usage}output_tokens`),
      )
      return tokens ? [{ type: 'usage', id: '', tokens }] : []
    }
    default:
      return []
  }
}

/** Skips the messages of a sub-agent, which name the call that started it. */
function answerOf(record: Payload): EntryContent[] {
  if (textOf(record, 'data.parentToolCallId')) return []
  const [text, model] = [textOf(record, 'data.content'), textOf(record, 'data.model')]
  return [
    ...(text ? [{ type: 'answer' as const, text }] : []),
    ...objectsOf(record, 'data.toolRequests').map(
      (one): EntryContent => ({
        type: 'call',
        id: textOf(one, 'toolCallId'),
        name: textOf(one, 'name'),
        input: parsed(fieldOf(one, 'arguments')),
      }),
    ),
    ...(model ? [{ type: 'session' as const, model }] : []),
  ]
}
