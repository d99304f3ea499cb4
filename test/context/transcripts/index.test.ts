import { describe, expect, it } from 'vitest'
import type { TranscriptFormat } from '../../../src/clients/define.ts'
import type { EntryContent } from '../../../src/context/transcripts/entry.ts'
import { readers, readRecords } from '../../../src/context/transcripts/index.ts'
import type { Payload } from '../../../src/event/payload.ts'

type Format = Exclude<TranscriptFormat, 'none'>
type Row = [what: string, record: Payload, entries: EntryContent[]]

const prompt = (text: string): EntryContent => ({ type: 'prompt', text })
const answer = (text: string): EntryContent => ({ type: 'answer', text })
const claude = (type: string, content: unknown, more: Payload = {}): Payload => ({
  ...{ type, message: { role: type, content }, ...more },
})
const codex = (type: string, payload: Payload): Payload => ({ type, payload })
const said = (text: string) =>
  codex('response_item', {
    ...{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] },
  })
const droid = (message: Payload): Payload => ({ type: 'message', message })

/** Lines that the transcripts of the shared suite (formats.test.ts) do not have. */
const lines: Record<Format, Row[]> = {
  claude: [
    [
      'a prompt of a member of a team',
      claude('user', 'go', { teamName: 'web', agentName: 'docs' }),
      [{ type: 'session', isSubagent: true }, prompt('go'), { type: 'session' }],
    ],
    [
      'a prompt of the session that leads the team',
      claude('user', 'go', { teamName: 'web', agentName: 'team-lead' }),
      [prompt('go'), { type: 'session' }],
    ],
    [
      'a prompt in a session that has the name of an agent',
      claude('user', 'go', { agentName: 'docs' }),
      [prompt('go'), { type: 'session' }],
    ],
    ['a prompt', claude('user', 'go'), [prompt('go'), { type: 'session' }]],
    [
      'a prompt of a program, on a branch',
      claude('user', 'go', { promptSource: 'sdk', gitBranch: 'fix' }),
      [prompt('go'), { type: 'session', isHeadless: true, branch: 'fix' }],
    ],
    [
      'a prompt of the client itself, whose task is over',
      claude('user', '<task-notification>', { origin: { kind: 'task-notification' } }),
      [{ type: 'prompt', text: '', isOwn: true }],
    ],
    [
      'another prompt of the client itself',
      claude('user', 'go on', { promptSource: 'system' }),
      [{ type: 'prompt', text: '', isOwn: true }],
    ],
    [
      'a message of another agent, which began a turn',
      claude('user', 'Another session sent a message', { isMeta: true, turnOrigin: 'peer' }),
      [{ type: 'prompt', text: '', isOwn: true }],
    ],
    [
      'a prompt that the agent had scheduled',
      claude('user', 'Look again', { isMeta: true, turnOrigin: 'scheduled' }),
      [{ type: 'prompt', text: 'Look again', isOwn: true }],
    ],
    [
      'a command that the agent carries out',
      claude(
        'user',
        '<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>a.ts</command-args>',
      ),
      [prompt('/review a.ts'), { type: 'session' }],
    ],
    [
      'the instructions that such a command expands to',
      claude('user', [{ type: 'text', text: 'Review a.ts' }], { isMeta: true }),
      [],
    ],
    [
      'a command that the client carries out',
      claude(
        'user',
        '<command-name>/model</command-name>\n  <command-message>model</command-message>\n  <command-args></command-args>',
      ),
      [],
    ],
    [
      'a prompt that is queued',
      { type: 'queue-operation', operation: 'enqueue', content: 'go' },
      [{ type: 'queue', change: 'added' }],
    ],
    [
      'a prompt that leaves the queue',
      { type: 'queue-operation', operation: 'dequeue' },
      [{ type: 'queue', change: 'removed' }],
    ],
    [
      'a prompt that became part of the turn',
      { type: 'queue-operation', operation: 'remove', reason: 'absorbed_mid_turn' },
      [{ type: 'queue', change: 'removed' }],
    ],
    [
      'queued prompts that a person takes back to edit',
      { type: 'queue-operation', operation: 'popAll', content: 'go' },
      [{ type: 'queue', change: 'emptied' }],
    ],
    ['another change of the queue', { type: 'queue-operation', operation: 'sort' }, []],
    ['a shell command of a person', claude('user', '<bash-input>ls</bash-input>'), []],
    [
      'the output of a shell command of a person',
      claude('user', '<bash-stdout>a.ts</bash-stdout><bash-stderr></bash-stderr>'),
      [],
    ],
    [
      'the output of a shell command of a person, which began a turn',
      claude('user', '<bash-stdout>a.ts</bash-stdout><bash-stderr></bash-stderr>', {
        turnOrigin: 'human',
      }),
      [prompt(''), { type: 'session' }],
    ],
    [
      'a picture without text',
      claude('user', [{ type: 'image', source: {} }], { turnOrigin: 'human' }),
      [prompt(''), { type: 'session' }],
    ],
    [
      'a prompt below a note about the open file',
      claude('user', [
        { type: 'text', text: '<ide_opened_file>The user opened a.ts</ide_opened_file>' },
        { type: 'text', text: '<ide_selection>lines 1 to 2</ide_selection>\nfix it' },
      ]),
      [prompt('fix it'), { type: 'session' }],
    ],
    [
      'a prompt without a branch',
      claude('user', 'go', { gitBranch: 'HEAD' }),
      [prompt('go'), { type: 'session' }],
    ],
    [
      'a prompt that quotes an interruption',
      claude('user', 'why [Request interrupted by user]?'),
      [prompt('why [Request interrupted by user]?'), { type: 'session' }],
    ],
    [
      'a result with a text',
      claude('user', [
        { type: 'tool_result', tool_use_id: 't1' },
        { type: 'text', text: 'note' },
      ]),
      [{ type: 'result', id: 't1' }],
    ],
    ['a message of a sub-agent', claude('assistant', 'hi', { isSidechain: true }), []],
    [
      'a message in the transcript of a sub-agent',
      claude('assistant', 'hi', { isSidechain: true, agentId: 'a1' }),
      [answer('hi')],
    ],
    ['a note of the client', claude('user', 'hi', { isMeta: true }), []],
    ['a summary of earlier turns', claude('user', 'hi', { isCompactSummary: true }), []],
    [
      'an answer',
      { type: 'assistant', message: { content: 'hi', model: 'opus' } },
      [answer('hi'), { type: 'session', model: 'opus' }],
    ],
    [
      'an answer that the client made itself',
      { type: 'assistant', message: { content: 'No credit', model: '<synthetic>' } },
      [answer('No credit')],
    ],
    [
      'a title that a person gave',
      { type: 'custom-title', customTitle: 'Tax' },
      [{ type: 'session', title: 'Tax' }],
    ],
    ['an empty title', { type: 'ai-title', aiTitle: '' }, []],
    [
      'the end of the hooks of a turn',
      { type: 'system', subtype: 'stop_hook_summary' },
      [{ type: 'end', outcome: 'completed', reason: '' }],
    ],
    ['another note of the system', { type: 'system', subtype: 'compact_boundary' }, []],
  ],
  codex: [
    [
      'the start of a terminal session outside of a repository',
      codex('session_meta', { source: 'cli' }),
      [{ type: 'session', isHeadless: false }],
    ],
    ['the start of an unknown session', codex('session_meta', {}), [{ type: 'session' }]],
    [
      'the start of a review',
      codex('session_meta', { source: { subagent: 'review' } }),
      [{ type: 'session', isReview: true }],
    ],
    [
      'the start of a sub-agent',
      codex('session_meta', { source: { subagent: { thread_spawn: { depth: 1 } } } }),
      [{ type: 'session' }],
    ],
    [
      'the result of a review',
      said(
        JSON.stringify({
          findings: [{ title: '[P1] Round the total' }, { title: '[P2] Name the unit' }],
          overall_explanation: 'The total is not rounded.',
        }),
      ),
      [answer('The total is not rounded.\n\n- [P1] Round the total\n- [P2] Name the unit')],
    ],
    [
      'the result of a review that found nothing',
      said('{"findings":[],"overall_explanation":"It is fine."}'),
      [answer('It is fine.')],
    ],
    ...['{"total":1}', '{broken'].map(
      (text): Row => ['another answer in braces', said(text), [answer(text)]],
    ),
    ['a turn without a model', codex('turn_context', {}), []],
    [
      'a prompt of an older version',
      codex('event_msg', { type: 'user_message', message: 'go' }),
      [prompt('go')],
    ],
    ['an empty prompt', codex('event_msg', { type: 'user_message', message: '' }), []],
    [
      'another item',
      codex('event_msg', {
        type: 'item_completed',
        item: { type: 'Plan', content: [{ type: 'text', text: 'plan' }] },
      }),
      [],
    ],
    [
      'a plan, about which codex asks',
      codex('event_msg', {
        ...{ type: 'item_completed', item: { type: 'Plan', id: 'p1', text: '# Plan\n- Pin it\n' } },
      }),
      [{ type: 'plan', text: '# Plan\n- Pin it\n\nImplement this plan?' }],
    ],
    [
      'an interrupted turn',
      codex('event_msg', { type: 'turn_aborted', reason: 'interrupted' }),
      [{ type: 'end', outcome: 'interrupted', reason: 'interrupted' }],
    ],
    [
      'a failed turn',
      codex('event_msg', { type: 'error', message: 'stream disconnected' }),
      [{ type: 'end', outcome: 'failed', reason: 'stream disconnected' }],
    ],
    [
      'a turn that ended with an error',
      codex('event_msg', {
        ...{ type: 'task_complete', last_agent_message: null },
        error: { message: 'unexpected status 401', codex_error_info: 'other' },
      }),
      [{ type: 'end', outcome: 'failed', reason: 'unexpected status 401' }],
    ],
    [
      'a turn that ended without one',
      codex('event_msg', { type: 'task_complete', last_agent_message: 'Done', error: null }),
      [{ type: 'end', outcome: 'completed', reason: '' }],
    ],
    ['no tokens', codex('event_msg', { type: 'token_count', info: null }), []],
    [
      'a message of the user',
      codex('response_item', {
        ...{ type: 'message', role: 'user', content: [{ type: 'text', text: 'go' }] },
      }),
      [],
    ],
    [
      'a call of the shell',
      codex('response_item', {
        ...{ type: 'local_shell_call', call_id: 't1', action: { command: ['ls'] } },
      }),
      [{ type: 'call', id: 't1', name: 'shell', input: { command: ['ls'] } }],
    ],
    [
      'a call whose arguments are no JSON',
      codex('response_item', {
        ...{ type: 'function_call', call_id: 't1', name: 'shell', arguments: 'ls -l' },
      }),
      [{ type: 'call', id: 't1', name: 'shell', input: { input: 'ls -l' } }],
    ],
    ['an unknown line', codex('compacted', { message: 'summary' }), []],
    ['an unknown event', codex('event_msg', { type: 'agent_reasoning', text: 'hm' }), []],
    ['an unknown item', codex('response_item', { type: 'reasoning' }), []],
  ],
  copilot: [
    ['an empty prompt', { type: 'user.message', data: { content: '' } }, []],
    ['the answer to a question', { type: 'permission.completed' }, [{ type: 'replied' }]],
    [
      'an interrupted turn',
      { type: 'abort', data: { reason: 'user initiated' } },
      [{ type: 'end', outcome: 'interrupted', reason: 'user initiated' }],
    ],
    [
      'a failed turn',
      { type: 'session.error', data: { message: 'no quota' } },
      [{ type: 'end', outcome: 'failed', reason: 'no quota' }],
    ],
    [
      'a message of a sub-agent',
      { type: 'assistant.message', data: { parentToolCallId: 't1', content: 'hi' } },
      [],
    ],
    [
      'an answer without a model',
      { type: 'assistant.message', data: { content: 'hi' } },
      [answer('hi')],
    ],
    ['an unknown line', { type: 'assistant.turn_end', data: {} }, []],
  ],
  droid: [
    ['the start of a session without a title', { type: 'session_start' }, []],
    [
      'the start of the session of a sub-agent',
      { type: 'session_start', title: 'Worker: Look around', callingSessionId: 's0' },
      [{ type: 'session', title: 'Worker: Look around', isSubagent: true }],
    ],
    [
      'a prompt without a type',
      { message: { role: 'user', content: [{ type: 'text', text: 'go' }] } },
      [prompt('go')],
    ],
    ['a note of the client', droid({ role: 'user', content: 'hi', visibility: 'llm_only' }), []],
    [
      'a result with a text',
      droid({
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1' },
          { type: 'text', text: 'note' },
        ],
      }),
      [{ type: 'result', id: 't1' }],
    ],
    [
      'an answer with its model',
      droid({ role: 'assistant', content: 'hi', modelId: 'opus' }),
      [answer('hi'), { type: 'session', model: 'opus' }],
    ],
    ['an answer without a model', droid({ role: 'assistant', content: 'hi' }), [answer('hi')]],
    ['a message without a text', droid({ role: 'user', content: [] }), []],
    [
      'a failed turn',
      { type: 'agent_turn_outcome', reason: 'LLM_Error' },
      [{ type: 'end', outcome: 'failed', reason: 'LLM_Error' }],
    ],
    [
      'a turn that the model refused',
      { type: 'agent_turn_outcome', reason: 'model_request_rejected', resultKind: 'text' },
      [{ type: 'end', outcome: 'failed', reason: 'model_request_rejected' }],
    ],
    [
      'a turn that nobody could approve',
      { type: 'agent_turn_outcome', reason: 'no_approver_available', resultKind: 'null' },
      [{ type: 'end', outcome: 'failed', reason: 'no_approver_available' }],
    ],
    [
      'an interrupted turn',
      { type: 'agent_turn_outcome', reason: 'Cancelled' },
      [{ type: 'end', outcome: 'interrupted', reason: 'Cancelled' }],
    ],
    [
      'a rejected permission',
      { type: 'agent_turn_outcome', reason: 'permission_rejected', resultKind: 'null' },
      [{ type: 'end', outcome: 'interrupted', reason: 'permission_rejected' }],
    ],
    [
      'a specification that is handed over',
      { type: 'agent_turn_outcome', reason: 'spec_handoff', resultKind: 'null' },
      [{ type: 'end', outcome: 'completed', reason: 'spec_handoff' }],
    ],
    [
      'the end of the process',
      { type: 'agent_turn_outcome', reason: 'process_exit', resultKind: 'null' },
      [],
    ],
    ['a todo list', { type: 'todo_state', message: { role: 'user', content: 'hi' } }, []],
  ],
  gemini: [
    [
      'results with a text',
      {
        type: 'user',
        content: [{ functionResponse: { id: 't1' } }, { text: 'note' }],
      },
      [],
    ],
    [
      'a cancelled call',
      { type: 'gemini', toolCalls: [{ id: 't1', name: 'ls', args: {}, status: 'cancelled' }] },
      [
        { type: 'call', id: 't1', name: 'ls', input: {} },
        { type: 'result', id: 't1' },
      ],
    ],
    [
      'a call without a result',
      { type: 'gemini', toolCalls: [{ id: 't1', name: 'ls', args: {} }] },
      [{ type: 'call', id: 't1', name: 'ls', input: {} }],
    ],
    ['a note of the client', { type: 'info', content: 'hi' }, []],
    [
      'a turn that a person stopped',
      { type: 'info', content: 'Request cancelled.' },
      [{ type: 'end', outcome: 'interrupted', reason: 'Request cancelled.' }],
    ],
    [
      'a turn that failed',
      { type: 'error', content: '[API Error: {"error":{"code":400,"message":"Refused"}}]' },
      [
        {
          ...{ type: 'end', outcome: 'failed' },
          reason: '{"error":{"code":400,"message":"Refused"}}',
        },
      ],
    ],
    ['messages that are no objects', { $set: { messages: [null, 'hi'] } }, []],
  ],
  kimi: [
    [
      'a prompt of the client itself, whose task is over',
      {
        type: 'turn.prompt',
        input: [{ type: 'text', text: '<notification id="task:1">' }],
        origin: { kind: 'task' },
      },
      [{ type: 'prompt', text: '', isOwn: true }],
    ],
    [
      'a sub-agent in the background',
      { type: 'subagent.spawned', subagentId: 'agent-0', runInBackground: true },
      [{ type: 'agentStarted', id: 'agent-0' }],
    ],
    [
      'a sub-agent for which the agent waits',
      { type: 'subagent.spawned', subagentId: 'agent-0', runInBackground: false },
      [],
    ],
    [
      'the end of a sub-agent',
      { type: 'subagent.completed', subagentId: 'agent-0' },
      [{ type: 'agentOver', id: 'agent-0' }],
    ],
    [
      'a turn that failed',
      { type: 'turn.ended', reason: 'failed', error: { message: '401 status 401' } },
      [{ type: 'end', outcome: 'failed', reason: '401 status 401' }],
    ],
    [
      'a turn that a person stopped',
      { type: 'turn.ended', reason: 'cancelled' },
      [{ type: 'end', outcome: 'interrupted', reason: '' }],
    ],
  ],
  qwen: [
    [
      'a prompt that the client made itself',
      { type: 'user', provenance: 'hook', message: { parts: [{ text: 'hi' }] } },
      [],
    ],
    [
      'a prompt within a turn, which is written at its end',
      {
        ...{ type: 'user', provenance: 'real_user', subtype: 'mid_turn_user_message' },
        message: { parts: [{ text: 'hi' }] },
      },
      [],
    ],
    [
      'a thought before an answer',
      {
        type: 'assistant',
        message: { parts: [{ text: 'hm', thought: true }, { text: 'hi' }] },
      },
      [answer('hi')],
    ],
    [
      'a title',
      { type: 'system', subtype: 'custom_title', systemPayload: { title: 'Tax' } },
      [{ type: 'session', title: 'Tax' }],
    ],
    ['another note', { type: 'system', subtype: 'ui', systemPayload: { title: 'Tax' } }, []],
    ['an unknown line', { type: 'checkpoint' }, []],
  ],
}

describe.each(Object.entries(lines))('a transcript of %s', (format, rows) => {
  it.each(rows)('with %s', (_, record, entries) => {
    expect(readRecords([record], format as Format)).toEqual(entries)
  })
})

it('a transcript of claude is that of a sub-agent if it names one and has no line of the session', () => {
  const own = claude('assistant', 'own', { isSidechain: true, agentId: 'a1' })
  const old = claude('assistant', 'old', { isSidechain: true })
  const said = claude('assistant', 'said', { isSidechain: false })
  expect(readRecords([own, old], 'claude')).toEqual([answer('own'), answer('old')])
  expect(readRecords([own, said], 'claude')).toEqual([answer('said')])
  expect(readRecords([said, own], 'claude')).toEqual([answer('said')])
})

it('the entries about the queue of claude come last, because their lines may precede older ones', () => {
  const timestamp = '2026-11-26T22:13:10.342Z'
  const records = [
    { type: 'queue-operation', operation: 'dequeue', timestamp },
    claude('assistant', 'It is fixed.', { timestamp: '2026-11-26T22:13:09.932Z' }),
  ]
  const types = readRecords(records, 'claude').map(({ type }) => type)
  expect(types).toEqual(['answer', 'queue'])
})

describe('a transcript of droid', () => {
  const outcome = (reason: string) => ({ type: 'agent_turn_outcome', turnId: 'u1', reason })
  const shown = (text: string, visibility = 'user_only') =>
    droid({ role: 'user', content: [{ type: 'text', text }], visibility })
  const hook = droid({ role: 'user', visibility: 'user_only', hookEventName: 'Stop', content: [] })
  const ends = (...records: Payload[]) =>
    readRecords(records, 'droid').flatMap((entry) =>
      entry.type === 'end' ? [`${entry.outcome}: ${entry.reason}`] : [],
    )

  // droid 0.225.2 writes this after Esc or No at a permission question, and with "Error: " at one of the agent.
  it.each(['', 'Error: '])(
    'has an interrupted turn if its question was cancelled: %j',
    (before) => {
      const content = `${before}Tool execution cancelled by user`
      const results = [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content }]
      const turn = [
        droid({ role: 'user', content: 'go' }),
        droid({ role: 'user', content: results }),
      ]
      const stopped = 'interrupted: Tool execution cancelled by user'
      expect(ends(...turn)).toEqual([stopped])
      expect(ends(...turn, hook, outcome('completed'))).toEqual([stopped])
      const next = [droid({ role: 'user', content: 'go on' }), outcome('completed')]
      expect(ends(...turn, outcome('completed'), ...next)).toEqual([
        stopped,
        'completed: completed',
      ])
      const goesOn = droid({ role: 'assistant', content: 'Then I do something else.' })
      expect(ends(...turn, goesOn, outcome('completed'))).toEqual(['completed: completed'])
    },
  )

  it('has no end of the turn if only a command failed', () => {
    const failed = { type: 'tool_result', tool_use_id: 't1', is_error: true, content: 'Error: no' }
    expect(ends(droid({ role: 'user', content: [failed] }))).toEqual([])
    const printed = { ...failed, is_error: false, content: 'Tool execution cancelled by user' }
    expect(ends(droid({ role: 'user', content: [printed] }))).toEqual([])
  })

  it('gives the error that the terminal shows as the reason of a failed turn', () => {
    const prompt = droid({ role: 'user', content: 'go' })
    const error = shown('BYOK Error: 400 The model says no\n\nTroubleshooting tips:\n1. Verify')
    const end = outcome('model_request_rejected')
    expect(ends(prompt, error, hook, end)).toEqual(['failed: BYOK Error: 400 The model says no'])
    expect(ends(error, prompt, hook, end)).toEqual(['failed: model_request_rejected'])
    expect(ends(prompt, shown('notes', 'llm_only'), end)).toEqual([
      'failed: model_request_rejected',
    ])
  })
})

it('a transcript of gemini keeps a turn that a person stopped, although the next list of messages omits it', () => {
  const user = (id: string, text: string) => ({ id, type: 'user', content: [{ text }] })
  const said = { id: 'm2', type: 'gemini', content: 'Red it is.' }
  const stopped = { id: 'm4', type: 'info', content: 'Request cancelled.' }
  const list = { $set: { messages: [user('m1', 'Which one?'), said] } }
  const read = (...records: Payload[]) => readRecords(records, 'gemini')
  const end = { type: 'end', outcome: 'interrupted', reason: 'Request cancelled.' }
  const first = [user('m1', 'Which one?'), said, user('m3', 'Paint it'), stopped]
  const kept = [prompt('Which one?'), answer('Red it is.'), prompt('Paint it'), end]
  expect(read(...first, list)).toEqual(kept)
  expect(read(...first, list, user('m5', 'Go on'))).toEqual([...kept, prompt('Go on')])
  const next = [user('m5', 'Go on'), { ...stopped, id: 'm6' }, list]
  expect(read(...first, list, ...next)).toEqual([...kept.slice(0, 2), prompt('Go on'), end])
  expect(read(...first, user('m5', 'Go on'), list)).toEqual([...kept.slice(0, 2), prompt('Go on')])
})

it('a transcript of gemini keeps the prompt of a failed turn, although the next list of messages omits it', () => {
  const user = (id: string, text: string) => ({ id, type: 'user', content: [{ text }] })
  const said = { id: 'm2', type: 'gemini', content: 'Red it is.' }
  const list = { $set: { messages: [user('m1', 'Which one?'), said] } }
  const failure = { id: 'm4', type: 'error', content: '[API Error: no quota]' }
  const records = [user('m1', 'Which one?'), said, user('m3', 'Paint it'), list, failure]
  const kept = [prompt('Which one?'), answer('Red it is.'), prompt('Paint it')]
  const end = { type: 'end', outcome: 'failed', reason: 'no quota' }
  const read = (...later: Payload[]) =>
    readRecords([...records, ...later], 'gemini').map(({ at: _, ...entry }) => entry)
  expect(read()).toEqual([...kept, end])
  expect(read(user('m5', 'Go on'))).toEqual([...kept, end, prompt('Go on')])
})

it('a failure in a transcript of gemini does not end the turn if the agent went on', () => {
  const failure = { type: 'error', content: 'The quota of the model is exhausted' }
  const said = { type: 'gemini', content: 'hi' }
  const call = { type: 'gemini', toolCalls: [{ id: 't1', name: 'ls' }] }
  const types = (...records: object[]) => readRecords(records as never, 'gemini').map((e) => e.type)
  expect(types(failure, said)).toEqual(['answer'])
  expect(types(failure, call)).toEqual(['call'])
  expect(types(said, failure)).toEqual(['answer', 'end'])
})

it('a result in a transcript of gemini has the time of its call, else that of its message', () => {
  const timestamp = '2026-11-20T09:10:00Z'
  const call = { id: 't1', name: 'ls', status: 'success' }
  const timesOf = (toolCall: Payload) =>
    readRecords([{ type: 'gemini', timestamp, toolCalls: [toolCall] }], 'gemini').map(
      ({ at }) => at,
    )
  const at = Date.parse(timestamp)
  expect(timesOf(call)).toEqual([at, at])
  expect(timesOf({ ...call, timestamp: '2026-11-20T09:10:05Z' })).toEqual([at, at + 5000])
})

it('a transcript without a known format has no entries', () => {
  expect(readRecords([claude('assistant', 'hi')], 'none')).toEqual([])
})

describe('the text of a message', () => {
  const textOf = (content: unknown) =>
    readRecords([claude('assistant', content)], 'claude').flatMap((entry) =>
      entry.type === 'answer' ? [entry.text] : [],
    )[0]

  it.each([
    'system-reminder',
    'local-command-stdout',
    'command-name',
    'bash-input',
    'session_context',
    'environment_context',
    'user_instructions',
    'turn_aborted',
  ])('is given without the notes <%s>', (tag) => {
    const note = `<${tag}>note</${tag}>`
    expect(textOf(`${note}a ${note}b <b>c</b> ${note}${note}d`)).toBe('a b <b>c</b> d')
    expect(textOf(`a <${tag}>b`)).toBe(`a <${tag}>b`)
  })

  it('is given without notes that contain notes', () => {
    const inner = '<bash-input>ls</bash-input>'
    expect(textOf(`a<command-name>${inner}</command-name>b`)).toBe('ab')
  })

  it('is that of all its blocks of text, each on its own line', () => {
    const blocks = [{ type: 'text', text: 'a' }, { type: 'image', text: 'x' }, null, { text: 'b' }]
    expect(textOf([...blocks, { type: 'text', text: 7 }])).toBe('a\nb')
  })
})

describe('the tokens of a message', () => {
  it.each([
    [
      { input_tokens: 7, cached_input_tokens: 5, output_tokens: 2 },
      { input: 2, output: 2 },
    ],
    [
      { input_tokens: 5, cached_input_tokens: 7, output_tokens: 2 },
      { input: 0, output: 2 },
    ],
    [
      { input_tokens: -5, output_tokens: 2 },
      { input: 0, output: 2 },
    ],
    [{ input_tokens: '5', output_tokens: Number.POSITIVE_INFINITY }, undefined],
    [{ input_tokens: 0, output_tokens: 0 }, undefined],
  ])('%j are %j', (usage, tokens) => {
    const record = codex('event_msg', { type: 'token_count', info: { last_token_usage: usage } })
    const [entry] = readRecords([record], 'codex')
    expect(entry?.type === 'usage' ? entry.tokens : undefined).toEqual(tokens)
  })
})

describe('the sub-agents of codex', () => {
  const call = (name: string, args: object, output: unknown) => [
    codex('response_item', {
      ...{ type: 'function_call', name, call_id: 'c1', namespace: 'multi_agent_v1' },
      arguments: JSON.stringify(args),
    }),
    codex('response_item', {
      ...{ type: 'function_call_output', call_id: 'c1', output: JSON.stringify(output) },
    }),
  ]
  const note = (agent_path: string, status: unknown, role = 'user') => {
    const text = `<subagent_notification>\n${JSON.stringify({ agent_path, status })}\n</subagent_notification>`
    const content = [{ type: 'input_text', text }]
    return [codex('response_item', { type: 'message', role, content })]
  }
  const activity = (kind: string) => [
    codex('event_msg', {
      type: 'item_completed',
      item: { type: 'SubAgentActivity', kind, agent_thread_id: 'a1' },
    }),
  ]

  it.each<[string, object[], 'started' | 'over' | undefined]>([
    ['is started', call('spawn_agent', { message: 'Look' }, { agent_id: 'a1' }), 'started'],
    ['could not be started', call('spawn_agent', {}, 'too many agents'), undefined],
    ['gets more to do', call('send_input', { target: 'a1' }, {}), 'started'],
    ['is resumed', call('resume_agent', { id: 'a1' }, {}), 'started'],
    ['was waited for', call('wait_agent', {}, { status: { a1: { completed: 'Two' } } }), 'over'],
    ['goes on', call('wait_agent', {}, { status: { a1: 'running' }, timed_out: true }), undefined],
    ['was not waited for long enough', call('wait_agent', {}, { status: {} }), undefined],
    ['is closed', call('close_agent', { target: 'a1' }, {}), 'over'],
    ['is over, as a note says', note('a1', { completed: 'Two' }), 'over'],
    ['was shut down, as a note says', note('a1', 'shutdown'), 'over'],
    ['goes on, as a note says', note('a1', 'running'), undefined],
    ['is quoted', note('a1', 'shutdown', 'assistant'), undefined],
    ['becomes active', activity('started'), 'started'],
    ['is no longer active', activity('completed'), 'over'],
    ['was interrupted', activity('interrupted'), 'over'],
    ['does something else', activity('interacted'), undefined],
  ])('are read: one %s', (_, records, what) => {
    const type = what === 'started' ? 'agentStarted' : 'agentOver'
    const entries = readRecords(records as Payload[], 'codex')
    expect(entries.filter((one) => /^agent/.test(one.type))).toEqual(
      what ? [{ type, id: 'a1', at: undefined }] : [],
    )
  })
})

it('a prompt that codex takes up within a turn does not begin a new one', () => {
  const asked = (turn_id: string, text: string) =>
    codex('event_msg', {
      ...{ type: 'item_completed', turn_id },
      item: { type: 'UserMessage', content: [{ type: 'text', text }] },
    })
  const records = [asked('u1', 'go'), asked('u1', 'faster'), asked('u2', 'stop'), asked('', 'why')]
  expect(readRecords(records, 'codex')).toEqual(
    [prompt('go'), prompt('stop'), prompt('why')].map((one) => ({ ...one, at: undefined })),
  )
})

describe('the file beside a transcript', () => {
  it.each<[Format, string, object]>([
    ['copilot', 'id: s1\nname: Login test\ncwd: /srv', { title: 'Login test' }],
    ['copilot', 'name: "Login: test" \r\n', { title: 'Login: test' }],
    ['copilot', "name: 'Login'", { title: 'Login' }],
    ['copilot', 'name: "a" and "b', { title: '"a" and "b' }],
    ['copilot', 'surname: Login', {}],
    ['copilot', 'name: ""', {}],
    [
      'droid',
      '{"model":"opus","tags":[{"name":"exec"},{"name":"x"}]}',
      { model: 'opus', isHeadless: true },
    ],
    ['droid', '{"tags":[{"name":"x"}]}', {}],
    ['droid', '[]', {}],
    ['droid', 'no JSON', {}],
  ])('of %s with %j gives %j', (format, text, facts) => {
    expect(readers[format].sidecar?.read(text)).toEqual(facts)
  })
})
