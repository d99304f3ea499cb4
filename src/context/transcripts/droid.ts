import { fieldOf, isPayload, type Payload, textOf } from '../../event/payload.ts'
import { answerOf, blockText, entriesOf, modelOf, objectsOf, parsed, promptOf } from './_fields.ts'
import { callsOf } from './claude.ts'
import type { Entry, EntryContent, TranscriptReader } from './entry.ts'

const CANCELLED = 'Tool execution cancelled by user'
const cancelled = { type: 'end', outcome: 'interrupted', reason: CANCELLED } as const
const LAUNCHED = /^Task launched in background\.\ntask_id: (\S+)/
const OVER = /^Background task [^\n]*\ntask_id: (\S+)/

export const droid: TranscriptReader = {
  read: (records) =>
    entriesOf(records, (record, index) => contentsOf(record, () => errorBefore(records, index)))
      .filter(isEndOfTurn)
      .filter(isOfPerson),
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

/** A turn that a person cancelled at a question ends as completed (0.225), unless the agent goes on all the same. */
function isEndOfTurn(entry: Entry, index: number, entries: readonly Entry[]): boolean {
  if (entry.type !== 'end') return true
  const next = entries.slice(index + 1).find(isStep)
  if (entry.reason === CANCELLED) return next?.type !== 'answer' && next?.type !== 'call'
  const before = entries.slice(0, index).findLast(isStep)
  return before?.type !== 'end' || before.reason !== CANCELLED
}

/** A hook that makes the agent go on does so in words of its own, which are written like a prompt. */
function isOfPerson({ type }: Entry, index: number, entries: readonly Entry[]): boolean {
  return type !== 'prompt' || entries[index - 1]?.type !== 'refusedEnd'
}

function isStep({ type }: Entry): boolean {
  return /^(prompt|answer|call|end)$/.test(type)
}

function contentsOf(record: Payload, error: () => string): EntryContent[] {
  switch (record.type) {
    case 'session_start': {
      const title = textOf(record, 'title')
      const isSubagent = textOf(record, 'callingSessionId') !== ''
      const facts = { ...(title && { title }), ...(isSubagent && { isSubagent }) }
      return title || isSubagent ? [{ type: 'session', ...facts }] : []
    }
    case 'agent_turn_outcome':
      return outcomeOf(textOf(record, 'reason'), error)
    // Older versions and other tools leave the type out.
    case 'message':
    case undefined:
      return messageOf(record)
    default:
      return []
  }
}

/** The reasons of 0.225.2; other versions wrote `LLM_Error`. */
function outcomeOf(reason: string, error: () => string): EntryContent[] {
  if (/^(completed|spec_handoff)$/.test(reason))
    return [{ type: 'end', outcome: 'completed', reason }]
  if (/abort|cancel|interrupt|permission_rejected/i.test(reason))
    return [{ type: 'end', outcome: 'interrupted', reason }]
  return /err|fail|^(model|structured_output|prompt)_|^no_approver/i.test(reason)
    ? [{ type: 'end', outcome: 'failed', reason: error() || reason }]
    : []
}

/** The first line of the error that the terminal shows before a turn ends as failed; '' if it shows none. */
function errorBefore(records: readonly Payload[], index: number): string {
  const last = records.slice(0, index).findLast(isMessage)
  if (!last || fieldOf(last, 'message.visibility') !== 'user_only') return ''
  return blockText(fieldOf(last, 'message.content')).split('\n', 1)[0] ?? ''
}

/** Without the runs of hooks, and what only the model reads. */
function isMessage(record: Payload): boolean {
  const isNote = fieldOf(record, 'message.visibility') === 'llm_only'
  return record.type === 'message' && !isNote && !textOf(record, 'message.hookEventName')
}

/** Messages with a visibility are notes of the client: runs of hooks, its instructions to the model. */
function noteOf(record: Payload): EntryContent[] {
  if (textOf(record, 'id').startsWith('task-completion:')) {
    const [, id] = OVER.exec(blockText(fieldOf(record, 'message.content'))) ?? []
    return id ? [{ type: 'agentOver', id }] : []
  }
  switch (textOf(record, 'message.hookEventName')) {
    case 'Stop':
      return objectsOf(record, 'message.hookResults').some(isRefusal)
        ? [{ type: 'refusedEnd' }]
        : []
    case 'SessionEnd':
      return [{ type: 'agentOver', id: '' }]
    default:
      return []
  }
}

/** Whether a hook for the end of the turn makes the agent go on. */
function isRefusal({ exitCode, stdout }: Payload): boolean {
  if (exitCode === 2) return true
  const answer = exitCode === 0 ? parsed(stdout) : undefined
  return isPayload(answer) && answer.decision === 'block' && textOf(answer, 'reason') !== ''
}

function messageOf(record: Payload): EntryContent[] {
  if (fieldOf(record, 'message.visibility') !== undefined) return noteOf(record)
  const blocks = objectsOf(record, 'message.content')
  const text = blockText(fieldOf(record, 'message.content'))
  const results = blocks.filter(({ type }) => type === 'tool_result')
  switch (fieldOf(record, 'message.role')) {
    case 'user':
      return [
        ...results.map((one): EntryContent => ({ type: 'result', id: textOf(one, 'tool_use_id') })),
        ...results.flatMap(launchedBy),
        ...(results.some(isCancelled) ? [cancelled] : []),
        ...(results.length === 0 ? promptOf(text) : []),
      ]
    case 'assistant':
      return [...answerOf(text), ...callsOf(blocks), ...modelOf(textOf(record, 'message.modelId'))]
    default:
      return []
  }
}

/** The call ends at once. What the sub-agent found is reported later, by a note. */
function launchedBy(result: Payload): EntryContent[] {
  const [, id] = LAUNCHED.exec(textOf(result, 'content')) ?? []
  return id && result.is_error !== true ? [{ type: 'agentStarted', id }] : []
}

/** Esc, or No, at a question of the agent or about permission. */
function isCancelled(result: Payload): boolean {
  return result.is_error === true && textOf(result, 'content').replace(/^Error: /, '') === CANCELLED
}
