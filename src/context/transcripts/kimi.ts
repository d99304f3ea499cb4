import { fieldOf, type Payload, textOf } from '../../event/payload.ts'
import { answerOf, blockText, countOf, entriesAt, modelOf, promptOf, usageOf } from './_fields.ts'
import type { EntryContent, Outcome, TranscriptReader } from './entry.ts'

export const kimi: TranscriptReader = {
  read: (records) =>
    records.flatMap((record) =>
      entriesAt(countOf(record, 'time') || undefined, contentsOf(record)),
    ),
}

const outcomes: Readonly<Record<string, Outcome>> = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'interrupted',
}

function contentsOf(record: Payload): EntryContent[] {
  switch (record.type) {
    case 'turn.prompt': {
      const text = blockText(fieldOf(record, 'input'))
      // The end of a background task begins a turn.
      return textOf(record, 'origin.kind') === 'user'
        ? promptOf(text)
        : [{ type: 'prompt', text: '', isOwn: true }]
    }
    case 'context.append_loop_event':
      return eventOf(record)
    case 'permission.record_approval_result':
      return [{ type: 'replied' }]
    case 'subagent.spawned':
      return fieldOf(record, 'runInBackground') === true
        ? [{ type: 'agentStarted', id: textOf(record, 'subagentId') }]
        : []
    case 'subagent.completed':
    case 'subagent.failed':
    case 'subagent.cancelled':
      return [{ type: 'agentOver', id: textOf(record, 'subagentId') }]
    case 'usage.record':
      return usageIn(record)
    case 'turn.ended': {
      const outcome = outcomes[textOf(record, 'reason')]
      return outcome ? [{ type: 'end', outcome, reason: textOf(record, 'error.message') }] : []
    }
    default:
      return []
  }
}

function eventOf(record: Payload): EntryContent[] {
  const id = textOf(record, 'event.toolCallId')
  switch (textOf(record, 'event.type')) {
    case 'content.part':
      return textOf(record, 'event.part.type') === 'text'
        ? answerOf(blockText([fieldOf(record, 'event.part')]))
        : []
    case 'tool.call':
      return [
        {
          type: 'call',
          id,
          name: textOf(record, 'event.name'),
          input: fieldOf(record, 'event.args'),
        },
      ]
    case 'tool.result':
      return [{ type: 'result', id }]
    default:
      return []
  }
}

function usageIn(record: Payload): EntryContent[] {
  const [input, cached] = [
    countOf(record, 'usage.inputOther'),
    countOf(record, 'usage.inputCacheRead'),
  ]
  const output = countOf(record, 'usage.output')
  return [
    ...usageOf('', { input: input + cached, cached, output }),
    ...modelOf(textOf(record, 'model')),
  ]
}
