import { fieldOf, type Payload, textOf } from '../../event/payload.ts'
import { answerOf, blockText, countOf, entriesOf, modelOf, objectsOf, usageOf } from './_fields.ts'
import type { Entry, EntryContent, TranscriptReader } from './entry.ts'

/** The client's own notes may fill up to 160 kB between two lines that matter. */
export const claude: TranscriptReader = {
  read(records) {
    const isOfAgent = isTranscriptOfAgent(records)
    const entries = entriesOf(records, (record) => contentsOf(record, isOfAgent))
    // Lines about the queue may precede older lines.
    return [...entries.filter((one) => !isOfQueue(one)), ...entries.filter(isOfQueue)]
  },
}

/** @param isOfAgent whether the whole transcript is one of a sub-agent */
function contentsOf(record: Payload, isOfAgent: boolean): EntryContent[] {
  switch (record.type) {
    case 'custom-title':
      return titleOf(textOf(record, 'customTitle'))
    case 'ai-title':
      return titleOf(textOf(record, 'aiTitle'))
    case 'system':
      return systemOf(record)
    case 'queue-operation':
      return queueOf(textOf(record, 'operation'))
    case 'user':
    case 'assistant':
      return isNote(record) || (isSidechain(record) && !isOfAgent)
        ? []
        : [...memberOf(record), ...messageOf(record)]
    default:
      return []
  }
}

function isOfQueue({ type }: Entry): boolean {
  return type === 'queue'
}

/** Prompts are removed one by one, each for the next turn or within this one, or all to be edited. */
function queueOf(operation: string): EntryContent[] {
  switch (operation) {
    case 'enqueue':
      return [{ type: 'queue', change: 'added' }]
    case 'dequeue':
    case 'remove':
      return [{ type: 'queue', change: 'removed' }]
    case 'popAll':
      return [{ type: 'queue', change: 'emptied' }]
    default:
      return []
  }
}

function systemOf(record: Payload): EntryContent[] {
  switch (record.subtype) {
    case 'stop_hook_summary':
      return isRefusal(record) ? [{ type: 'refusedEnd' }] : completed
    case 'turn_duration':
      return completed
    // Measured with 2.1.330: after eight refusals in a row the turn ends all the same.
    case 'informational':
      return /^A hook blocked the turn from ending /.test(textOf(record, 'content'))
        ? completed
        : []
    // The prompt that follows is a note.
    case 'scheduled_task_fire':
      return [{ type: 'prompt', text: textOf(record, 'prompt'), isOwn: true }]
    default:
      return []
  }
}

const completed: EntryContent[] = [{ type: 'end', outcome: 'completed', reason: '' }]

/** Whether a hook made the agent go on: by an error that is not its own failure, or by something to add. */
function isRefusal(record: Payload): boolean {
  const { hookErrors, failedHookErrorIndexes: failed, hookAdditionalContext: added } = record
  if (record.preventedContinuation === true) return false
  // Older versions do not say which errors are failures.
  const isBlocked =
    Array.isArray(hookErrors) && Array.isArray(failed) && hookErrors.length > failed.length
  return isBlocked || (Array.isArray(added) && added.length > 0)
}

function titleOf(title: string): EntryContent[] {
  return title ? [{ type: 'session', title }] : []
}

/** A sub-agent has a transcript of its own. In old versions its lines had no id and were among those of the session. */
function isTranscriptOfAgent(records: readonly Payload[]): boolean {
  const isNamed = records.some((record) => textOf(record, 'agentId') !== '')
  return isNamed && records.every(({ isSidechain }) => isSidechain !== false)
}

/** Whether a line is from a sub-agent. */
function isSidechain(record: Payload): boolean {
  return Boolean(record.isSidechain)
}

/**
 * A member of a team that runs in a pane of its own is a session like any other, whose payloads name no agent. Each of its
 * lines does (2.1.332); those of the session that leads the team do not.
 */
function memberOf(record: Payload): EntryContent[] {
  const [team, name] = [textOf(record, 'teamName'), textOf(record, 'agentName')]
  return team && name && name !== 'team-lead' ? [{ type: 'session', isSubagent: true }] : []
}

/** Whether a line is a note of the client itself. One that began a turn is a prompt. */
function isNote({ isMeta, isCompactSummary, turnOrigin }: Payload): boolean {
  return Boolean((isMeta && !turnOrigin) || isCompactSummary)
}

function messageOf(record: Payload): EntryContent[] {
  const content = fieldOf(record, 'message.content')
  const blocks = objectsOf(record, 'message.content')
  const text = blockText(content)
  if (record.type === 'user') {
    const results = blocks.filter(({ type }) => type === 'tool_result')
    return [
      ...results.map((one): EntryContent => ({ type: 'result', id: textOf(one, 'tool_use_id') })),
      ...(results.length === 0 ? promptIn(record, text) : []),
    ]
  }
  return [...answerOf(text), ...callsOf(blocks), ...usageIn(record), ...modelOf(modelIn(record))]
}

/** What began a turn, if no person wrote the prompt (2.1.332). */
const OWN_ORIGIN = /^(scheduled|task_notification|auto_continuation|peer|host_synthetic|system)$/

function promptIn(record: Payload, words: string): EntryContent[] {
  if (/^\[Request interrupted by user/.test(words)) {
    return [{ type: 'end', outcome: 'interrupted', reason: 'interrupted' }]
  }
  const text = commandIn(textOf(record, 'message.content')) || words
  const [source, origin] = [textOf(record, 'promptSource'), textOf(record, 'turnOrigin')]
  // A picture, and a shell command of a person, begin a turn without words.
  if (!text && !origin) return []
  const isTask = textOf(record, 'origin.kind') === 'task-notification'
  if (source === 'system' || isTask || OWN_ORIGIN.test(origin)) {
    return [{ type: 'prompt', text: origin === 'scheduled' ? text : '', isOwn: true }]
  }
  const branch = textOf(record, 'gitBranch')
  return [
    { type: 'prompt', text },
    {
      type: 'session',
      ...(source && { isHeadless: source === 'sdk' }),
      // Without a branch the client writes HEAD.
      ...(branch && branch !== 'HEAD' && { branch }),
    },
  ]
}

/** A command that the agent carries out, such as `/review a.ts`; one that the client carries out begins with its name. */
function commandIn(content: string): string {
  const [, name, args = ''] =
    /^<command-message>[^<]*<\/command-message>\s*<command-name>(\/[^<]+)<\/command-name>(?:\s*<command-args>([\s\S]*?)<\/command-args>)?/.exec(
      content,
    ) ?? []
  return name ? blockText(`${name} ${args}`) : ''
}

export function callsOf(blocks: readonly Payload[]): EntryContent[] {
  return blocks
    .filter(({ type }) => type === 'tool_use')
    .map((one) => ({
      type: 'call',
      id: textOf(one, 'id'),
      name: textOf(one, 'name'),
      input: one.input,
    }))
}

/** Each block of a message has a line of its own, with the usage of the whole message. */
function usageIn(record: Payload): EntryContent[] {
  const count = (name: string) => countOf(record, `message.usage.${name}`)
  return usageOf(textOf(record, 'message.id'), {
    input: count('input_tokens') + count('cache_creation_input_tokens'),
    cached: 0,
    output: count('output_tokens'),
  })
}

/** A name in angle brackets is not a model: the client wrote the message itself. */
function modelIn(record: Payload): string {
  return textOf(record, 'message.model').replace(/^<.*/s, '')
}
