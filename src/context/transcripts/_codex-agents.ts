import { fieldOf, isPayload, type Payload, textOf } from '../../event/payload.ts'
import { blockText, parsed } from './_fields.ts'
import type { EntryContent } from './entry.ts'

/** What is known of an agent in a state that is none of these: it is over. */
const RUNNING = /^(pending_init|running)$/
const NOTE = /^<subagent_notification>([\s\S]*)<\/subagent_notification>/

/**
 * Reads which sub-agents of codex run. Measured with 0.171.0, which has two kinds of them: of one, the calls of its tools
 * and a note at its end are written; of the other, an activity at both ends, by the id that SubagentStop has.
 */
export function readAgents(): (record: Payload) => EntryContent[] {
  /** By id: the calls whose results are still to come. */
  const calls = new Map<string, Payload>()
  return ({ type, payload }) => {
    if (!isPayload(payload)) return []
    if (type === 'event_msg') return activityOf(payload)
    if (type !== 'response_item') return []
    const id = textOf(payload, 'call_id')
    if (payload.type === 'function_call') calls.set(id, payload)
    if (payload.type !== 'function_call_output') return noteOf(payload)
    const call = calls.get(id)
    calls.delete(id)
    return call ? resultOf(call, parsed(payload.output)) : []
  }
}

function activityOf(payload: Payload): EntryContent[] {
  if (textOf(payload, 'item.type') !== 'SubAgentActivity') return []
  const [kind, id] = [textOf(payload, 'item.kind'), textOf(payload, 'item.agent_thread_id')]
  if (kind === 'started') return [{ type: 'agentStarted', id }]
  return /complete|interrupt|error|fail|shut|close|end/.test(kind) ? over(id) : []
}

function resultOf(call: Payload, output: unknown): EntryContent[] {
  const words = parsed(call.arguments)
  const [told, result] = [isPayload(words) ? words : {}, isPayload(output) ? output : {}]
  switch (call.name) {
    case 'spawn_agent': {
      const id = textOf(result, 'agent_id')
      return id ? [{ type: 'agentStarted', id }] : []
    }
    case 'resume_agent':
    case 'send_input': {
      const id = textOf(told, 'target', 'id')
      return id ? [{ type: 'agentStarted', id }] : []
    }
    case 'close_agent':
      return over(textOf(told, 'target', 'id'))
    case 'wait_agent': {
      const states = fieldOf(result, 'status')
      return Object.entries(isPayload(states) ? states : {}).flatMap(([id, state]) =>
        isRunning(state) ? [] : over(id),
      )
    }
    default:
      return []
  }
}

function noteOf(payload: Payload): EntryContent[] {
  if (payload.type !== 'message' || payload.role !== 'user') return []
  const [, text] = NOTE.exec(blockText(payload.content, ['input_text', 'text'])) ?? []
  const note = parsed(text)
  return isPayload(note) && !isRunning(note.status) ? over(textOf(note, 'agent_path')) : []
}

function isRunning(state: unknown): boolean {
  return typeof state === 'string' && RUNNING.test(state)
}

/** Without an id it would mean all of them. */
function over(id: string): EntryContent[] {
  return id ? [{ type: 'agentOver', id }] : []
}
