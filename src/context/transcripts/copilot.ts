import { dirname, join } from 'node:path'
import { fieldOf, type Payload, textOf } from '../../event/payload.ts'
import {
  answerOf,
  countOf,
  entriesOf,
  modelOf,
  objectsOf,
  parsed,
  promptOf,
  usageOf,
} from './_fields.ts'
import type { EntryContent, TranscriptReader } from './entry.ts'

export const copilot: TranscriptReader = {
  read: (records) => entriesOf(records, contentsOf),
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
    case 'user.message':
      return promptOf(textOf(record, 'data.content'))
    case 'assistant.message':
      return messageOf(record)
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
      return usageOf('', {
        input: countOf(record, `${usage}inputTokens`, `${usage}input_tokens`),
        cached: countOf(record, `${usage}cacheReadTokens`, `${usage}cached_input_tokens`),
        output: countOf(record, `${usage}outputTokens`, `${usage}output_tokens`),
      })
    }
    default:
      return []
  }
}

/** Skips the messages of a sub-agent, which name the call that started it. */
function messageOf(record: Payload): EntryContent[] {
  if (textOf(record, 'data.parentToolCallId')) return []
  return [
    ...answerOf(textOf(record, 'data.content')),
    ...objectsOf(record, 'data.toolRequests').map(
      (one): EntryContent => ({
        type: 'call',
        id: textOf(one, 'toolCallId'),
        name: textOf(one, 'name'),
        input: parsed(fieldOf(one, 'arguments')),
      }),
    ),
    ...modelOf(textOf(record, 'data.model')),
  ]
}
