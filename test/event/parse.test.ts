import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HookbellError } from '../../src/errors.ts'
import { kindOf } from '../../src/event/event.ts'
import { parseEvent, wakeUpOf } from '../../src/event/parse.ts'
import { knownEvents } from '../../src/event/schema.ts'
import { isFull } from '../support/runs.ts'

const now = new Date('2026-11-20T23:40:30').getTime()

const abnormal = ['error', 'other']

function parse(body: unknown, abnormalReasons = abnormal) {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const header = { client: 'claude', env: { DISPLAY: ':1' } }
  return parseEvent({ id: 'e1', at: 5, header, body: bytes, truncated: false }, abnormalReasons)
}

describe('an event', () => {
  it('has all fields of its payload and header', () => {
    const event = {
      hook_event_name: 'Notification',
      session_id: 's1',
      cwd: '/home/me/api-server',
      transcript_path: '/t.jsonl',
      message: 'Claude needs your permission to use Bash',
      notification_type: 'permission_prompt',
    }
    expect(parse(event)).toEqual({
      id: 'e1',
      at: 5,
      client: 'claude',
      name: 'Notification',
      means: 'Notification',
      kind: 'permission',
      sessionId: 's1',
      parentSessionId: '',
      cwd: '/home/me/api-server',
      transcriptPath: '/t.jsonl',
      message: event.message,
      lastMessage: '',
      prompt: '',
      notificationType: 'permission_prompt',
      reason: '',
      tool: 'Bash',
      toolUseId: '',
      agent: '',
      agentId: '',
      turnId: '',
      permissionMode: '',
      model: '',
      backgroundTasks: 0,
      durationMs: undefined,
      question: undefined,
      failure: undefined,
      isHeadless: undefined,
      env: { DISPLAY: ':1' },
      problems: [],
    })
  })

  it.each([
    ['Stop', { last_assistant_message: 'done' }, { kind: 'done', lastMessage: 'done' }],
    [
      'SubagentStop',
      { agent_type: 'tester', last_assistant_message: 'ok' },
      { kind: 'subagent-done', agent: 'tester', lastMessage: 'ok' },
    ],
    [
      'SubagentStop',
      { task_name: 'build', task_result: 'ok' },
      { kind: 'subagent-done', agent: 'build', lastMessage: 'ok' },
    ],
    ['SubagentStop', { task_error: 'broke' }, { message: 'broke' }],
    ['SessionEnd', { reason: 'clear' }, { kind: 'ended', reason: 'clear' }],
    ['SessionEnd', { reason: 'other' }, { kind: 'abnormal-end' }],
    ['SessionEnd', { reason: 'error' }, { kind: 'abnormal-end' }],
    ['SessionEnd', {}, { kind: 'ended' }],
    ['SessionEnd', { session_duration_ms: 752.99 }, { durationMs: 752.99 }],
    [
      'PostToolUse',
      { tool_name: 'Bash', tool_input: { command: 'x' } },
      { kind: 'other', tool: 'Bash' },
    ],
    [
      'PermissionRequest',
      { tool_name: 'Bash' },
      { kind: 'permission', message: 'The agent wants to use Bash' },
    ],
    [
      'PermissionRequest',
      { tool_name: 'Bash', tool_input: { command: 'npm run migrate', description: 'x' } },
      { message: 'The agent wants to use Bash: npm run migrate' },
    ],
    [
      'PermissionRequest',
      { tool_name: 'Write', tool_input: { file_path: '/srv/a.ts', content: 'x' } },
      { message: 'The agent wants to use Write: /srv/a.ts' },
    ],
    [
      'PermissionRequest',
      {
        tool_name: 'AskUser',
        tool_input: {
          questionnaire:
            '1. [question] Which database?\n[topic] DB\n[option] PostgreSQL\n[option] SQLite',
        },
      },
      {
        message: 'Which database?',
        question: { about: 'question', choices: ['PostgreSQL', 'SQLite'] },
      },
    ],
    [
      'PermissionRequest',
      {
        tool_name: 'mcp__linear__create_issue',
        tool_input: { title: 'Login is broken', team: 'Web', priority: 1, labels: ['bug'] },
      },
      {
        message:
          'The agent wants to use mcp__linear__create_issue: title: Login is broken, team: Web, priority: 1',
      },
    ],
    [
      'Notification',
      {
        notification_type: 'ToolPermission',
        message: 'Tool Shell needs a yes',
        details: { type: 'exec', title: 'Shell', command: 'npm test' },
      },
      { kind: 'permission', message: 'Tool Shell needs a yes: npm test' },
    ],
    [
      'Notification',
      { message: 'May I run npm test?', details: { command: 'npm test' } },
      { message: 'May I run npm test?' },
    ],
    ['Notification', { message: 'Well?', details: ['x', { command: 7 }] }, { message: 'Well?' }],
    ['Stop', { background_tasks: [{ id: 'b1' }, { id: 'b2' }] }, { backgroundTasks: 2 }],
    [
      'Stop',
      { background_tasks: [{ id: 'b1', type: 'shell' }, { id: 'a1', type: 'subagent' }, null] },
      { backgroundTasks: 3, backgroundAgents: 1 },
    ],
    [
      'Stop',
      { background_tasks: [{ type: 'in_process_teammate' }, { type: 'subagent' }] },
      { backgroundTasks: 2, backgroundAgents: 2, backgroundTeammates: 1 },
    ],
    // Qwen Code also lists agents that have ended, and gives only the type of an agent.
    [
      'Stop',
      {
        background_tasks: [
          { id: 'a1', status: 'running', agent_type: 'general-purpose' },
          ...['completed', 'failed', 'cancelled', 'paused'].map((status) => ({
            ...{ id: status, status, agent_type: 'general-purpose' },
          })),
        ],
      },
      { backgroundTasks: 1, backgroundAgents: 1 },
    ],
    [
      'StopFailure',
      { error: 'rate_limit', error_details: '429' },
      { kind: 'failed', message: '429' },
    ],
    [
      'StopFailure',
      { error_details: '529 {"type":"error","error":{"message":"Overloaded"}}' },
      { message: '529 Overloaded' },
    ],
    [
      'StopFailure',
      { error: 'billing_error', last_assistant_message: 'Credit balance is too low' },
      { message: 'billing_error: Credit balance is too low' },
    ],
    [
      'StopFailure',
      { error: 'x', error_details: 'No credit', last_assistant_message: 'Credit is too low' },
      { message: 'No credit' },
    ],
    ['StopFailure', { error: 'No {tool} like that' }, { message: 'No {tool} like that' }],
    [
      'AfterAgent',
      { prompt_response: 'hi' },
      { kind: 'done', lastMessage: 'hi', name: 'AfterAgent' },
    ],
    ['AfterAgent', { prompt: 'Fix it' }, { prompt: 'Fix it' }],
    ['UserPromptSubmit', { prompt: 'Fix it' }, { kind: 'other', prompt: 'Fix it' }],
    ['UserPromptSubmit', { submitted_prompt: 'Fix it' }, { prompt: 'Fix it' }],
    [
      'FutureEvent',
      { message: 'new', unknown: [1] },
      { kind: 'other', message: 'new', name: 'FutureEvent' },
    ],
  ])('of type %s with %j is understood', (name, fields, expected) => {
    expect(parse({ hook_event_name: name, ...fields })).toMatchObject(expected)
  })

  it('is read with alternative names of its fields', () => {
    expect(
      parse({
        hookEventName: 'Notification',
        sessionId: 's',
        transcriptPath: '/t',
        notificationType: 'idle_prompt',
      }),
    ).toMatchObject({ name: 'Notification', sessionId: 's', transcriptPath: '/t', kind: 'waiting' })
    const notify = {
      type: 'agent-turn-complete',
      client: 'codex-tui',
      'thread-id': 't',
      'last-assistant-message': 'x',
    }
    expect(parse(notify)).toMatchObject({ kind: 'done', sessionId: 't', lastMessage: 'x' })
    const asked = { ...notify, 'input-messages': ['Hi', 'Rename foo'] }
    expect(parse(asked)).toMatchObject({ prompt: 'Rename foo', problems: [] })
    expect(parse({ ...notify, 'input-messages': [7] }).prompt).toBe('')
    const idle = { type: 'session.idle', properties: { sessionID: 'ses_1' } }
    expect(parse(idle)).toMatchObject({ kind: 'done', sessionId: 'ses_1', problems: [] })
    expect(parse({ ...idle, session_id: 's' }).sessionId).toBe('s')
    expect(parse({ ...idle, properties: ['sessionID'] }).sessionId).toBe('')
  })

  it.each([
    ['permission_prompt', '', 'permission'],
    ['ToolPermission', '', 'permission'],
    ['elicitation_dialog', '', 'permission'],
    ['idle_prompt', '', 'waiting'],
    ['agent_needs_input', '', 'waiting'],
    ['plan_approval_prompt', '', 'waiting'],
    ['question_dialog', '', 'waiting'],
    ['user_input_needed', '', 'waiting'],
    ['auth_success', '', 'other'],
    ['prompted', '', 'other'],
    ['', 'Droid needs your permission to use Execute', 'permission'],
    ['', 'Factory CLI needs permission to execute 2 tool(s)', 'permission'],
    ['', 'Factory CLI is asking the user 1 question(s)', 'permission'],
    ['', 'Droid is waiting for your input', 'waiting'],
    ['', 'anything else', 'waiting'],
  ])('of notification type %j with %j is %s', (notificationType, message, kind) => {
    const clues = { name: 'Notification', notificationType, message, reason: '' }
    expect(kindOf(clues, abnormal)).toBe(kind)
  })

  it.each([
    ['permission_prompt', 'permission'],
    ['worker_permission_prompt', 'permission'],
    ['elicitation_dialog', 'permission'],
    ['elicitation_url_dialog', 'permission'],
    ['idle_prompt', 'waiting'],
    ['agent_needs_input', 'waiting'],
    ['quota_auto_resume_stale', 'waiting'],
    ['quota_auto_resume_disabled', 'waiting'],
    ['push_notification', 'waiting'],
    ['plugin_notification', 'waiting'],
    ['quota_auto_resume_fired', 'other'],
    ['computer_use_exit', 'other'],
    ['model_refusal_fallback', 'other'],
    ['auth_storage_failure', 'other'],
    ['elicitation_response', 'other'],
    ['agent_completed', 'other'],
  ])('of notification type %s of Claude Code is %s', (type, kind) => {
    const payload = { hook_event_name: 'Notification', notification_type: type }
    expect(parse(payload).kind).toBe(kind)
  })

  it('has the question of a team member in the words of its notice', () => {
    const message = 'reviewer needs permission for Bash'
    const payload = {
      hook_event_name: 'Notification',
      notification_type: 'worker_permission_prompt',
      message,
    }
    expect(parse(payload).question).toMatchObject({
      about: 'question',
      subject: message,
    })
  })

  it('is an abnormal end for the configured reasons, in upper or lower case', () => {
    const end = { hook_event_name: 'SessionEnd', reason: 'Crashed' }
    expect(parse(end).kind).toBe('ended')
    expect(parse(end, ['crashed']).kind).toBe('abnormal-end')
    expect(parse({ ...end, reason: 'other' }, ['error']).kind).toBe('ended')
  })

  it.each([
    ['a byte order mark', '\ufeff{"hook_event_name":"Stop"}', []],
    [
      'NUL at the end',
      '{"hook_event_name":"Stop"}\0',
      ['damaged JSON, read as far as it goes: invalid symbol at character 27'],
    ],
    [
      'a truncated end',
      '{"hook_event_name":"Stop","last_assistant_message":"half',
      ['damaged JSON, read as far as it goes: unexpected end of string at character 52'],
    ],
    [
      'a trailing comma',
      '{"hook_event_name":"Stop",}',
      ['damaged JSON, read as far as it goes: a comment or a comma too many'],
    ],
    [
      'a wrong type',
      '{"hook_event_name":"Stop","session_id":7}',
      ['session_id: must be a string, not 7'],
    ],
    [
      'invalid UTF-8',
      Buffer.from('{"hook_event_name":"Stop","cwd":"/\xff"}', 'latin1'),
      ['not valid UTF-8: some characters are lost'],
    ],
    [
      'a name that is not a string',
      '{"hook_event_name":7,"event":"Stop"}',
      ['hook_event_name: must be a string, not 7'],
    ],
  ])('is read despite %s', (_, body, problems) => {
    expect(parse(body)).toMatchObject({ kind: 'done', name: 'Stop', problems })
  })

  it('cannot modify a prototype through its name or fields', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(parse({ hook_event_name: name })).toMatchObject({ kind: 'other', name })
      const notice = { hook_event_name: 'Notification', notification_type: name }
      expect(parse(notice).kind).toBe('other')
    }
    const body =
      '{"hook_event_name":"Stop","__proto__":{"polluted":1,"cwd":"/x"},"constructor":{"prototype":{"polluted":1}}}'
    expect(parse(body).cwd).toBe('')
    expect(parse(`${body},`).cwd).toBe('')
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  it('is read when it is nested a million levels deep', () => {
    const deep = `${'['.repeat(1e6)}${']'.repeat(1e6)}`
    expect(parse(`{"hook_event_name":"PostToolUse","tool_input":${deep}}`).kind).toBe('other')
  })

  it('causes an error that does not quote the input, which may be a secret', () => {
    const read = () => parse('{"password": hunter2hunter2}')
    expect(read).toThrow(HookbellError)
    expect(read).not.toThrow(/hunter2/)
  })

  it('causes only a HookbellError for any bytes', () => {
    const json = fc.json().map((text) => Buffer.from(text))
    const cut = fc
      .tuple(fc.json(), fc.nat(200))
      .map(([text, at]) => Buffer.from(`{"hook_event_name":"Stop","x":${text}}`).subarray(0, at))
    const object = fc
      .dictionary(
        fc.constantFrom(
          'hook_event_name',
          'session_id',
          'cwd',
          '__proto__',
          'reason',
          'message',
          'type',
        ),
        fc.jsonValue(),
      )
      .map((value) => Buffer.from(JSON.stringify(value)))
    const named = fc
      .record({
        name: fc.constantFrom(...knownEvents),
        fields: fc.dictionary(
          fc.constantFrom(
            'tool_name',
            'tool_input',
            'details',
            'properties',
            'error',
            'info',
            'metadata',
            'notification_type',
            'workspace_roots',
            'last_assistant_message',
            'background_tasks',
            'input-messages',
          ),
          fc.oneof(
            fc.jsonValue(),
            fc.constantFrom(
              { questions: [{ question: 'a\ud800', options: [1, 'b', { label: 'c' }] }] },
              'elicitation_dialog',
              'AskUserQuestion',
              { command: ['a', 'b'] },
              { name: 'x', data: { message: 'resets 99:99pm|9999999999 429' } },
            ),
          ),
        ),
      })
      .map(({ name, fields }) => Buffer.from(JSON.stringify({ hook_event_name: name, ...fields })))
    const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))
    fc.assert(
      fc.property(fc.oneof(bytes, json, cut, object, named), (body) => {
        try {
          const event = parse(body)
          const texts = [event.name, event.cwd, event.message, event.sessionId]
          texts.push(...Object.values(event.question ?? {}).flat(), event.failure?.reason ?? '')
          expect(texts.every((text) => text.isWellFormed())).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(HookbellError)
        }
        expect(({} as { polluted?: number }).polluted).toBeUndefined()
      }),
      { numRuns: isFull ? 100_000 : 1000 },
    )
  })

  it.each(['\n', ' ', '1.', '[question]', '\n[option] '])(
    // With a square of the length, it would take many minutes.
    'ends with %j repeated many times',
    (part) => {
      const text = `x${part.repeat(100_000)}x`
      const tool_input = { questionnaire: text, command: text, prompt: text, options: [text] }
      const event = { tool_name: 'AskUser', tool_input, message: text, error: text }
      const names = ['PermissionRequest', 'Notification', 'StopFailure', 'Stop']
      for (const hook_event_name of names) parse({ ...event, hook_event_name })
    },
  )
})

const once = (schedule: string) => ({ id: 'c1', schedule, recurring: false, prompt: 'Look' })

describe('a scheduled turn', () => {
  it.each([
    ['50 23 * * *', '2026-11-20T23:50:00'],
    ['5 0 * * *', '2026-11-21T00:05:00'],
    ['10 0 21 11 *', '2026-11-21T00:10:00'],
    ['40 23 * * *', '2026-11-20T23:40:00'],
  ])('is due at the minute of its schedule: %s', (schedule, due) => {
    expect(wakeUpOf([once(schedule)], now)).toBe(new Date(due).getTime())
  })

  it('is due at the first of several schedules', () => {
    const crons = [once('5 0 * * *'), once('50 23 * * *'), once('0 9 * * *')]
    expect(wakeUpOf(crons, now)).toBe(new Date('2026-11-20T23:50:00').getTime())
  })

  it.each([
    ['no schedule', []],
    ['a schedule that is due only later', [once('50 1 * * *'), once('38 23 * * *')]],
    ['a schedule that repeats', [{ ...once('50 23 * * *'), recurring: true }]],
    ['a schedule without a fixed time', [once('*/5 * * * *'), once('50 * * * *'), once('')]],
    ['a damaged schedule', [null, 'x', {}, { recurring: false, schedule: 5 }]],
  ])('is not expected with %s', (_, crons) => {
    expect(wakeUpOf(crons, now)).toBeUndefined()
  })
})
