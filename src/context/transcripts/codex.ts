import { fieldOf, isPayload, type Payload, textOf } from '../../event/payload.ts'
import {
  answerOf,
  blockText,
  countOf,
  entriesOf,
  modelOf,
  parsed,
  promptOf,
  usageOf,
} from './_fields.ts'
import type { EntryContent, TranscriptReader } from './entry.ts'

/** What is known of an agent in a state that is none of these: it is over. */
const RUNNING = /^(pending_init|running)$/

const NOTE = /^<subagent_notification>([\s\S]*)<\/subagent_notification>/

export const codex: TranscriptReader = {
  read(records) {
    const first = new Map<string, Payload>()
    for (const record of records) {
      const turn = turnOfPrompt(record)
      if (turn && !first.has(turn)) first.set(turn, record)
    }
    const agentsIn = readAgents()
    return entriesOf(records, (record) => {
      const turn = turnOfPrompt(record)
      if (turn && first.get(turn) !== record) return []
      return [...contentsOf(record), ...agentsIn(record)]
    })
  },
}

/** The id of the turn of a prompt: another prompt may be taken up within the turn (Enter). '' for any other line. */
function turnOfPrompt({ payload }: Payload): string {
  const isPrompt = isPayload(payload) && textOf(payload, 'item.type') === 'UserMessage'
  return isPrompt ? textOf(payload, 'turn_id') : ''
}

/** An agent of codex decides, and a person is not asked; the second is its older name. */
const OWN_REVIEWER = /^(auto_review|guardian_subagent)$/

function contentsOf({ type, payload: facts }: Payload): EntryContent[] {
  if (!isPayload(facts)) return []
  switch (type) {
    case 'session_meta':
      return sessionOf(facts)
    case 'turn_context': {
      const [model, reviewer] = [textOf(facts, 'model'), textOf(facts, 'approvals_reviewer')]
      return [...modelOf(model), ...(reviewer ? [decider(OWN_REVIEWER.test(reviewer))] : [])]
    }
    case 'event_msg':
      return eventOf(facts)
    case 'response_item':
      return itemOf(facts)
    default:
      return []
  }
}

function sessionOf(facts: Payload): EntryContent[] {
  const [source, branch] = [textOf(facts, 'source'), textOf(facts, 'git.branch')]
  return [
    {
      type: 'session',
      ...(source && { isHeadless: source === 'exec' }),
      ...(branch && { branch }),
      // Measured with 0.171.0: it has a transcript of its own, which its UserPromptSubmit names.
      ...(textOf(facts, 'source.subagent') === 'review' && { isReview: true }),
    },
  ]
}

function eventOf(facts: Payload): EntryContent[] {
  switch (facts.type) {
    case 'item_completed':
      return completedOf(facts)
    // Written by older versions.
    case 'user_message':
      return promptOf(textOf(facts, 'message'))
    case 'token_count': {
      const count = (name: string) => countOf(facts, `info.last_token_usage.${name}`)
      return usageOf('', {
        input: count('input_tokens'),
        cached: count('cached_input_tokens'),
        output: count('output_tokens'),
      })
    }
    // 0.171 writes an error here; older versions, on a line of its own.
    case 'task_complete': {
      const outcome = fieldOf(facts, 'error') ? 'failed' : 'completed'
      return [{ type: 'end', outcome, reason: textOf(facts, 'error.message') }]
    }
    case 'turn_aborted':
      return [{ type: 'end', outcome: 'interrupted', reason: textOf(facts, 'reason') }]
    // A person may have changed it within the turn. Only a new turn shows that codex decides.
    case 'thread_settings_applied': {
      const reviewer = textOf(facts, 'thread_settings.approvals_reviewer')
      return reviewer === 'user' ? [decider(false)] : []
    }
    case 'error':
      return [{ type: 'end', outcome: 'failed', reason: textOf(facts, 'message') }]
    default:
      return []
  }
}

/** The words of the dialog about a plan are not written (0.171.0). */
function completedOf(facts: Payload): EntryContent[] {
  const type = textOf(facts, 'item.type')
  const [text, plan] = [blockText(fieldOf(facts, 'item.content')), textOf(facts, 'item.text')]
  if (type === 'Plan' && plan) return [{ type: 'plan', text: `${plan}\n\nImplement this plan?` }]
  return type === 'UserMessage' ? promptOf(text) : []
}

function decider(isClient: boolean): EntryContent {
  return { type: 'decider', isClient }
}

function itemOf(facts: Payload): EntryContent[] {
  const id = textOf(facts, 'call_id', 'id')
  switch (facts.type) {
    case 'message': {
      const text = blockText(facts.content, ['output_text', 'text'])
      return facts.role === 'assistant' ? answerOf(reviewIn(text) ?? text) : []
    }
    case 'function_call':
      return [{ type: 'call', id, name: textOf(facts, 'name'), input: parsed(facts.arguments) }]
    case 'custom_tool_call':
      return [{ type: 'call', id, name: textOf(facts, 'name'), input: { input: facts.input } }]
    case 'local_shell_call':
      return [{ type: 'call', id, name: 'shell', input: facts.action }]
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [{ type: 'result', id }]
    default:
      return []
  }
}

/** A review ends with an object, which codex shows as words. */
function reviewIn(text: string): string | undefined {
  const review = text.startsWith('{') ? parsed(text) : undefined
  if (!isPayload(review) || !('overall_explanation' in review)) return undefined
  const findings = Array.isArray(review.findings) ? review.findings.filter(isPayload) : []
  const titles = findings.map((finding) => `- ${textOf(finding, 'title')}`)
  return [textOf(review, 'overall_explanation'), titles.join('\n')].filter(Boolean).join('\n\n')
}

/**
 * Reads which sub-agents of codex run. Measured with 0.171.0, which has two kinds of them: of one, the calls of its tools
 * and a note at its end are written; of the other, an activity at both ends, by the id that SubagentStop has.
 */
function readAgents(): (record: Payload) => EntryContent[] {
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
