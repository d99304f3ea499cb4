import { describe, expect, it } from 'vitest'
import { clientNames, findClient } from '../../src/clients/index.ts'
import type { AgentEvent } from '../../src/event/event.ts'
import { isRepeat, meaningOf } from '../../src/event/meaning.ts'
import { parsePayload, payloadClients, payloadNames, readPayload } from '../support/payload.ts'

const read = (client: string, name: string, options: Parameters<typeof parsePayload>[1] = {}) =>
  parsePayload(readPayload(client, name), { client, ...options })

/** Every recorded payload, its meaning and its kind. */
const table: [client: string, name: string, means: string, kind: string][] = [
  ['claude', 'Notification.elicitation', 'Notification', 'permission'],
  ['claude', 'Notification.idle', 'Notification', 'waiting'],
  ['claude', 'Notification.permission', 'Notification', 'permission'],
  ['claude', 'Notification.permission.unnamed', 'Notification', 'permission'],
  ['claude', 'PermissionRequest', 'PermissionRequest', 'permission'],
  ['claude', 'PermissionRequest.agent', 'PermissionRequest', 'permission'],
  ['claude', 'PermissionRequest.question', 'PermissionRequest', 'permission'],
  ['claude', 'PostToolUse', 'PostToolUse', 'other'],
  ['claude', 'PreToolUse.question', 'PermissionRequest', 'permission'],
  ['claude', 'SessionEnd.abnormal', 'SessionEnd', 'abnormal-end'],
  ['claude', 'SessionEnd.normal', 'SessionEnd', 'ended'],
  ['claude', 'Stop', 'Stop', 'done'],
  ['claude', 'Stop.background', 'Stop', 'done'],
  ['claude', 'StopFailure', 'StopFailure', 'failed'],
  ['claude', 'StopFailure.agent', 'SubagentStop', 'subagent-done'],
  ['claude', 'SubagentStop', 'SubagentStop', 'subagent-done'],
  ['claude', 'UserPromptSubmit', 'UserPromptSubmit', 'other'],
  ['codex', 'Interrupt', 'Interrupt', 'other'],
  ['codex', 'PermissionRequest', 'PermissionRequest', 'permission'],
  ['codex', 'PreToolUse.question', 'PermissionRequest', 'permission'],
  ['codex', 'SessionEnd', 'SessionEnd', 'abnormal-end'],
  ['codex', 'Stop', 'Stop', 'done'],
  ['codex', 'SubagentStop', 'SubagentStop', 'subagent-done'],
  ['codex', 'UserPromptSubmit', 'UserPromptSubmit', 'other'],
  ['codex', 'UserPromptSubmit.agent', 'SubagentStart', 'other'],
  ['codex', 'notify', 'Stop', 'done'],
  ['codex', 'notify.agent', 'SubagentStop', 'subagent-done'],
  ['codex', 'notify.exec', 'Stop', 'done'],
  ['codex', 'notify.title', 'Internal', 'other'],
  ['copilot', 'ErrorOccurred', 'StopFailure', 'failed'],
  ['copilot', 'Notification', 'Notification', 'permission'],
  ['copilot', 'Notification.question', 'Notification', 'permission'],
  ['copilot', 'SessionEnd', 'SessionEnd', 'ended'],
  ['copilot', 'SessionEnd.complete', 'SessionEnd', 'ended'],
  ['copilot', 'Stop', 'Stop', 'done'],
  ['copilot', 'SubagentStop', 'SubagentStop', 'subagent-done'],
  ['copilot', 'UserPromptSubmit', 'UserPromptSubmit', 'other'],
  ['copilot', 'UserPromptSubmit.agent', 'SubagentStart', 'other'],
  ['copilot', 'agentStop', 'Stop', 'done'],
  ['copilot', 'agentStop.agent', 'SubagentStop', 'subagent-done'],
  ['copilot', 'notification.camel', 'Notification', 'permission'],
  ['cursor', 'beforeSubmitPrompt', 'UserPromptSubmit', 'other'],
  ['cursor', 'sessionEnd', 'SessionEnd', 'ended'],
  ['cursor', 'stop', 'Stop', 'done'],
  ['cursor', 'stop.aborted', 'Interrupt', 'other'],
  ['cursor', 'stop.error', 'StopFailure', 'failed'],
  ['droid', 'Notification.idle', 'Notification', 'waiting'],
  ['droid', 'Notification.permission', 'Notification', 'permission'],
  ['droid', 'Notification.question', 'Notification', 'permission'],
  ['droid', 'Notification.stopped', 'Interrupt', 'other'],
  ['droid', 'Notification.tools', 'Notification', 'permission'],
  ['droid', 'PostToolUse', 'PostToolUse', 'other'],
  ['droid', 'SessionEnd.abnormal', 'SessionEnd', 'abnormal-end'],
  ['droid', 'SessionEnd.normal', 'SessionEnd', 'ended'],
  ['droid', 'Stop', 'Stop', 'done'],
  ['droid', 'SubagentStop', 'SubagentStop', 'subagent-done'],
  ['droid', 'UserPromptSubmit', 'UserPromptSubmit', 'other'],
  ['droid', 'UserPromptSubmit.task', 'TurnStart', 'other'],
  ['gemini', 'AfterAgent', 'Stop', 'done'],
  ['gemini', 'BeforeAgent', 'UserPromptSubmit', 'other'],
  ['gemini', 'BeforeTool.question', 'PermissionRequest', 'permission'],
  ['gemini', 'Notification.edit', 'Notification', 'permission'],
  ['gemini', 'Notification.permission', 'Notification', 'permission'],
  ['gemini', 'Notification.question', 'Notification', 'permission'],
  ['gemini', 'SessionEnd', 'SessionEnd', 'ended'],
  ['gemini', 'SessionStart', 'SessionStart', 'other'],
  ['kilo', 'chat.message', 'UserPromptSubmit', 'other'],
  ['kilo', 'chat.message.agent', 'SubagentStart', 'other'],
  ['kilo', 'permission.asked', 'PermissionRequest', 'permission'],
  ['kilo', 'permission.replied', 'PermissionReplied', 'other'],
  ['kilo', 'question.asked', 'PermissionRequest', 'permission'],
  ['kilo', 'question.rejected', 'Interrupt', 'other'],
  ['kilo', 'question.replied', 'PermissionReplied', 'other'],
  ['kilo', 'session.created', 'SessionStart', 'other'],
  ['kilo', 'session.created.agent', 'SubagentStart', 'other'],
  ['kilo', 'session.error', 'StopFailure', 'failed'],
  ['kilo', 'session.error.abort', 'Interrupt', 'other'],
  ['kilo', 'session.idle', 'Stop', 'done'],
  ['kilo', 'session.idle.agent', 'SubagentStop', 'subagent-done'],
  ['kilo', 'session.idle.refused', 'Interrupt', 'other'],
  ['kimi', 'Interrupt', 'Interrupt', 'other'],
  ['kimi', 'Notification', 'Notification', 'other'],
  ['kimi', 'PermissionRequest', 'PermissionRequest', 'permission'],
  ['kimi', 'PermissionRequest.agent', 'PermissionRequest', 'permission'],
  ['kimi', 'PermissionRequest.plan', 'PermissionRequest', 'permission'],
  ['kimi', 'PermissionResult', 'PermissionReplied', 'other'],
  ['kimi', 'PermissionResult.rejected', 'PermissionReplied', 'other'],
  ['kimi', 'PreToolUse.question', 'PermissionRequest', 'permission'],
  ['kimi', 'SessionEnd', 'SessionEnd', 'ended'],
  ['kimi', 'Stop', 'Stop', 'done'],
  ['kimi', 'StopFailure', 'StopFailure', 'failed'],
  ['kimi', 'SubagentStop', 'SubagentStop', 'subagent-done'],
  ['kimi', 'TurnStarted', 'TurnStart', 'other'],
  ['kimi', 'TurnStarted.agent', 'SubagentStart', 'other'],
  ['kimi', 'TurnStarted.user', 'Internal', 'other'],
  ['kimi', 'UserPromptSubmit', 'UserPromptSubmit', 'other'],
  ['opencode', 'chat.message', 'UserPromptSubmit', 'other'],
  ['opencode', 'chat.message.agent', 'SubagentStart', 'other'],
  ['opencode', 'chat.message.own', 'TurnStart', 'other'],
  ['opencode', 'permission.asked', 'PermissionRequest', 'permission'],
  ['opencode', 'permission.replied', 'PermissionReplied', 'other'],
  ['opencode', 'question.asked', 'PermissionRequest', 'permission'],
  ['opencode', 'question.rejected', 'Interrupt', 'other'],
  ['opencode', 'question.replied', 'PermissionReplied', 'other'],
  ['opencode', 'session.created', 'SessionStart', 'other'],
  ['opencode', 'session.created.agent', 'SubagentStart', 'other'],
  ['opencode', 'session.error', 'StopFailure', 'failed'],
  ['opencode', 'session.error.agent', 'SubagentStop', 'subagent-done'],
  ['opencode', 'session.error.abort', 'Interrupt', 'other'],
  ['opencode', 'session.idle', 'Stop', 'done'],
  ['opencode', 'session.idle.agent', 'SubagentStop', 'subagent-done'],
  ['opencode', 'session.idle.refused', 'Interrupt', 'other'],
  ['qwen', 'Notification.auth', 'Notification', 'other'],
  ['qwen', 'Notification.idle', 'Notification', 'waiting'],
  ['qwen', 'Notification.permission', 'Notification', 'permission'],
  ['qwen', 'PermissionRequest', 'PermissionRequest', 'permission'],
  ['qwen', 'PreToolUse', 'PreToolUse', 'other'],
  ['qwen', 'SessionEnd', 'SessionEnd', 'ended'],
  ['qwen', 'Stop', 'Stop', 'done'],
  ['qwen', 'StopFailure', 'StopFailure', 'failed'],
  ['qwen', 'SubagentStop', 'SubagentStop', 'subagent-done'],
  ['qwen', 'UserPromptSubmit', 'UserPromptSubmit', 'other'],
  ['qwen', 'UserPromptSubmit.result', 'PostToolUse', 'other'],
]

/** `also`: recorded events that hookbell does not register. `never`: registered events that were never recorded. */
const exceptions: Record<string, { also?: string[]; never?: string[] }> = {
  claude: { also: ['PostToolUse'] },
  codex: { also: ['agent-turn-complete'] },
  cursor: { never: ['subagentStop'] },
  droid: { also: ['PostToolUse'] },
  gemini: { also: ['SessionStart'] },
  kimi: { also: ['Notification'] },
  kilo: { never: ['permission.updated'] },
  opencode: { never: ['permission.updated'] },
  qwen: { also: ['PreToolUse'] },
}

const eventsOf = (client: string): readonly string[] => findClient(client)?.events ?? []

describe('a payload of a client', () => {
  it.each(table)('%s %s has the meaning %s and the kind %s', (client, name, means, kind) => {
    expect(read(client, name)).toMatchObject({ client, means, kind, problems: [] })
  })

  it('of Kimi Code names a sub-agent, but not the agent itself', () => {
    const asked = { tool: 'Bash', toolUseId: 'call_1', prompt: '' }
    expect(read('kimi', 'PermissionRequest')).toMatchObject({ ...asked, agentId: '', turnId: '1' })
    expect(read('kimi', 'PermissionRequest.agent')).toMatchObject({ ...asked, agentId: 'agent-0' })
    expect(read('kimi', 'UserPromptSubmit').prompt).toBe('Migrate the database')
    expect(read('kimi', 'SubagentStop')).toMatchObject({ agent: 'coder', lastMessage: 'Sub done.' })
    expect(read('kimi', 'PreToolUse.question').question?.subject).toMatch(/^Which colour/)
  })

  it.each<[entryPoint: string, surface: string | undefined]>([
    ['claude-vscode', 'VS Code'],
    ['claude-desktop', 'the desktop app'],
    ['claude-desktop-3p', 'the desktop app'],
    ['cli', undefined],
    ['sdk-ts', undefined],
    ['remote', undefined],
    ['', undefined],
  ])('of Claude Code names the program around it: %s', (entryPoint, surface) => {
    // A terminal in an editor is a terminal.
    const env = { CLAUDE_CODE_ENTRYPOINT: entryPoint, TERM_PROGRAM: 'vscode' }
    const asked = read('claude', 'PreToolUse.question', { env })
    expect(asked).toMatchObject({ means: 'PermissionRequest', toolUseId: 'toolu_1' })
    expect(asked.question?.subject).toBe('Which database do you want?')
    for (const event of [asked, read('claude', 'Stop', { env })])
      expect(event.surface).toBe(surface)
  })

  it.each(['Bash', 'mcp__AskUserQuestion', 'AskUserQuestions', ''])(
    'of Claude Code before a call of another tool is no question: %j',
    (tool_name) => {
      const call = { hook_event_name: 'PreToolUse', tool_name, tool_use_id: 't1' }
      expect(parsePayload(call, { client: 'claude' })).toMatchObject({ kind: 'other' })
    },
  )

  it.each(clientNames)('of %s that names a sub-agent is no event of the session', (client) => {
    const event = (hook_event_name: string, more: object) =>
      parsePayload({ hook_event_name, session_id: 's1', ...more }, { client }).means
    for (const of of [{ agent_id: 'a1' }, { parent_session_id: 's0' }]) {
      expect(event('Stop', of)).toBe('SubagentStop')
      expect(event('StopFailure', { ...of, error: 'rate_limit' })).toBe('SubagentStop')
      expect(event('Interrupt', of)).toBe('SubagentStop')
      expect(event('UserPromptSubmit', { ...of, prompt: 'Look' })).toBe('SubagentStart')
      expect(event('SessionEnd', of)).toBe('SessionEnd')
    }
    expect(event('StopFailure', { error: 'rate_limit' })).toBe('StopFailure')
  })

  it('is in the table if it was recorded', () => {
    const recorded = payloadClients.flatMap((client) =>
      payloadNames(client).map((name) => `${client} ${name}`),
    )
    expect(table.map(([client, name]) => `${client} ${name}`).sort()).toEqual(recorded.sort())
  })

  it('is of an event that hookbell registers, and each of those was recorded', () => {
    expect([...payloadClients].sort()).toEqual(clientNames)
    for (const client of payloadClients) {
      const names = payloadNames(client).map((name) => {
        const { hook_event_name: own, type } = readPayload(client, name)
        return String(own ?? type ?? '')
      })
      const { also = [], never = [] } = exceptions[client] ?? {}
      const recorded = [...new Set(names)].filter((name) => name !== '' && !also.includes(name))
      expect([...recorded, ...never].sort(), client).toEqual([...eventsOf(client)].sort())
    }
  })

  it.each(table)('%s %s is recognised if the client is not known', (client, name) => {
    // Payloads of the fork count as those of the original. That is harmless: its plug-in always names the client.
    const original = client === 'kilo' ? 'opencode' : client
    expect(parsePayload(readPayload(client, name)).client).toBe(original)
  })

  it.each(table)('%s %s contains the session and the working folder', (client, name) => {
    const event = read(client, name)
    expect(event.sessionId).not.toBe('')
    expect(event.cwd).toBe('/home/sam/shop')
  })

  it.each(['copilot', 'cursor'])(
    '%s is recognised when it runs a hook of Claude Code',
    (client) => {
      for (const name of payloadNames(client)) {
        const asClaude = read(client, name, { client: 'claude' })
        if (name !== 'notification.camel') expect(asClaude.client, name).toBe(client)
      }
    },
  )

  it('does not override the client that the front door was given', () => {
    expect(read('claude', 'Stop', { client: 'droid' }).client).toBe('droid')
  })
})

describe('a payload that was not recorded', () => {
  const notice = (notification_type: string) => ({
    ...{ hook_event_name: 'Notification', notification_type },
  })

  const prompted = (more: object) => ({ hook_event_name: 'UserPromptSubmit', ...more })
  const stopped = 'grep "Agent stopped by user" log'
  const taskIsOver = '<task-notification>\n<task-id>b1</task-id>\n</task-notification>\n'
  const framed = `[SYSTEM NOTIFICATION - NOT USER INPUT]\nThis is automated.\n${taskIsOver}`
  const fromAgent = '<agent-message from="bob">\nI found it.\n</agent-message>'
  const fromSession =
    '<cross-session-message from="uds:/tmp/1.sock" from-name="shop">\nLook.\n</cross-session-message>'
  const fromMember = '<teammate-message teammate_id="bob">\nDone.\n</teammate-message>'

  it.each<[client: string, payload: object, means: string, kind: string]>([
    ['claude', notice('agent_completed'), 'Notification', 'other'],
    ['claude', notice('elicitation_url_dialog'), 'Notification', 'permission'],
    ['claude', notice('worker_permission_prompt'), 'Notification', 'permission'],
    ['claude', notice('quota_auto_resume_stale'), 'Notification', 'waiting'],
    ['claude', notice('quota_auto_resume_disabled'), 'Notification', 'waiting'],
    ['claude', prompted({ prompt: taskIsOver }), 'TurnStart', 'other'],
    ['claude', prompted({ prompt: `What is ${taskIsOver}` }), 'UserPromptSubmit', 'other'],
    ['claude', prompted({ prompt: `${taskIsOver} What is that?` }), 'UserPromptSubmit', 'other'],
    ['claude', prompted({ prompt: framed }), 'TurnStart', 'other'],
    ['claude', prompted({ prompt: fromAgent }), 'TurnStart', 'other'],
    ['claude', prompted({ prompt: fromSession }), 'TurnStart', 'other'],
    ['claude', prompted({ prompt: fromMember }), 'TurnStart', 'other'],
    ['claude', prompted({ prompt: `Why ${fromAgent}` }), 'UserPromptSubmit', 'other'],
    ['claude', prompted({ prompt: `${fromAgent} Why?` }), 'UserPromptSubmit', 'other'],
    ['claude', prompted({ prompt: `See ${framed}` }), 'UserPromptSubmit', 'other'],
    ['claude', prompted({ prompt: 'Go', source: 'user' }), 'UserPromptSubmit', 'other'],
    ['claude', prompted({ prompt: 'Check', source: 'loop_wakeup' }), 'TurnStart', 'other'],
    ['claude', prompted({ prompt: 'Look', agent_id: 'a1' }), 'SubagentStart', 'other'],
    ['claude', { hook_event_name: 'Stop', agent_id: 'a1' }, 'SubagentStop', 'subagent-done'],
    ['claude', { hook_event_name: 'Stop', agent_type: 'reviewer' }, 'Stop', 'done'],
    [
      'claude',
      { hook_event_name: 'SubagentStop', agent_id: 'a1', agent_type: '' },
      'Internal',
      'other',
    ],
    [
      'claude',
      { hook_event_name: 'SubagentStop', agent_id: 'a1' },
      'SubagentStop',
      'subagent-done',
    ],
    ['codex', prompted({ prompt: taskIsOver }), 'UserPromptSubmit', 'other'],
    ['codex', { hook_event_name: 'PreToolUse', tool_name: 'Bash' }, 'PreToolUse', 'other'],
    [
      'codex',
      {
        type: 'agent-turn-complete',
        client: 'codex-tui',
        'input-messages': ['Say "Generate a concise, single-line task title"'],
      },
      ...(['Stop', 'done'] as const),
    ],
    ['copilot', notice('shell_completed'), 'Notification', 'other'],
    ['copilot', notice('shell_detached_completed'), 'Notification', 'other'],
    ['copilot', notice('agent_completed'), 'Notification', 'subagent-done'],
    ['copilot', notice('agent_idle'), 'Notification', 'other'],
    ['copilot', { stopReason: 'end', agentName: 'test' }, 'SubagentStop', 'subagent-done'],
    ['copilot', { sessionId: 's1', error: { message: 'no' } }, 'StopFailure', 'failed'],
    ['copilot', { sessionId: 's1', toolName: 'bash' }, 'PreToolUse', 'other'],
    ['copilot', { sessionId: 's1', prompt: 'Go' }, 'UserPromptSubmit', 'other'],
    ['copilot', { sessionId: 's1', reason: 'user_exit' }, 'SessionEnd', 'ended'],
    ['copilot', { sessionId: 's1', source: 'new' }, 'SessionStart', 'other'],
    // This hook of Copilot also runs when nobody is asked.
    ['copilot', { hook_event_name: 'PermissionRequest' }, 'PreToolUse', 'other'],
    ['copilot', { hook_event_name: 'permissionRequest' }, 'PreToolUse', 'other'],
    ['copilot', { hook_event_name: 'Stop', parentAgentId: 'a' }, 'SubagentStop', 'subagent-done'],
    ['copilot', { hook_event_name: 'Stop', parent_agent_id: 'a' }, 'SubagentStop', 'subagent-done'],
    ['cursor', { hook_event_name: 'preToolUse' }, 'PreToolUse', 'other'],
    ['cursor', { hook_event_name: 'subagentStop' }, 'SubagentStop', 'subagent-done'],
    [
      'droid',
      {
        hook_event_name: 'Notification',
        message: `Droid needs your permission to run: ${stopped}`,
      },
      ...(['Notification', 'permission'] as const),
    ],
    ['gemini', { hook_event_name: 'BeforeAgent', prompt: '' }, 'PostToolUse', 'other'],
    ['gemini', { hook_event_name: 'BeforeTool' }, 'PreToolUse', 'other'],
    ['gemini', { hook_event_name: 'AfterTool' }, 'PostToolUse', 'other'],
    ['opencode', { type: 'permission.updated' }, 'PermissionRequest', 'permission'],
    ['opencode', { type: 'session.created', parentID: 's0' }, 'SubagentStart', 'other'],
    ['opencode', { type: 'session.created', info: { parentID: 's0' } }, 'SubagentStart', 'other'],
    ['qwen', { hook_event_name: 'UserPromptSubmit', prompt: '' }, 'PostToolUse', 'other'],
    ['qwen', { hook_event_name: 'UserPromptSubmit' }, 'PostToolUse', 'other'],
    ['qwen', prompted({ submitted_prompt: 'Go' }), 'UserPromptSubmit', 'other'],
    ['qwen', prompted({ prompt: 'Go' }), 'UserPromptSubmit', 'other'],
    ['qwen', { hook_event_name: 'PermissionRequest', agent_id: 'a1' }, 'Internal', 'other'],
    [
      'qwen',
      { ...notice('permission_prompt'), agent_id: 'a1', message: 'Permission needed' },
      ...(['Notification', 'permission'] as const),
    ],
  ])('of %s, %j has the meaning %s and the kind %s', (client, payload, means, kind) => {
    expect(parsePayload(payload, { client })).toMatchObject({ means, kind })
  })
})

describe('a question', () => {
  it.each<[string, string, Partial<AgentEvent['question']>]>([
    [
      'claude',
      'PermissionRequest',
      {
        about: 'command',
        tool: 'Bash',
        subject: 'npm run migrate',
        detail: 'Migrate the database',
      },
    ],
    [
      'claude',
      'PermissionRequest.question',
      {
        about: 'question',
        subject: 'Which database do you want?',
        detail: 'Database',
        choices: ['PostgreSQL: As in production', 'SQLite: One file'],
      },
    ],
    [
      'claude',
      'Notification.elicitation',
      { about: 'question', subject: 'Which account should I use?' },
    ],
    ['codex', 'PermissionRequest', { about: 'command', detail: 'May I migrate the database?' }],
    ['gemini', 'Notification.permission', { about: 'command', subject: 'npm run migrate' }],
    [
      'gemini',
      'Notification.edit',
      { about: 'file', subject: '/home/sam/shop/src/total.ts', detail: 'Confirm Edit' },
    ],
    [
      'gemini',
      'BeforeTool.question',
      {
        about: 'question',
        subject: 'Which database do you want?',
        choices: ['PostgreSQL: As in production', 'SQLite: One file'],
      },
    ],
    ['gemini', 'Notification.question', { about: 'question', tool: 'ask_user' }],
    [
      'opencode',
      'permission.asked',
      { about: 'command', tool: 'bash', subject: 'npm run migrate' },
    ],
    [
      'opencode',
      'question.asked',
      {
        about: 'question',
        subject: 'Which database do you want?',
        detail: 'Database',
        choices: ['PostgreSQL: Runs as a server', 'SQLite: One file'],
      },
    ],
    ['qwen', 'PermissionRequest', { about: 'command', subject: 'npm run migrate' }],
  ])('is found in the payload of %s %s', (client, name, question) => {
    expect(read(client, name).question).toMatchObject({ ...question, from: 'payload' })
  })

  it.each([
    ['claude', 'PermissionRequest.question'],
    ['codex', 'PreToolUse.question'],
    ['gemini', 'BeforeTool.question'],
    ['opencode', 'question.asked'],
  ])('of the agent is the message, instead of the name of the tool: %s %s', (client, name) => {
    expect(read(client, name).message).toBe('Which database do you want?')
  })

  it('of opencode has the id that its answer names', () => {
    const ids = ['permission.asked', 'permission.replied', 'question.asked', 'question.rejected']
    expect(ids.map((name) => read('opencode', name).toolUseId)).toEqual([
      'per_1',
      'per_1',
      'que_1',
      'que_1',
    ])
    const properties = { id: 'per_2', sessionID: 'ses_1', tool: { callID: 'call_2' } }
    const whole = { type: 'permission.asked', id: 'evt_1', properties }
    expect(parsePayload(whole).toolUseId).toBe('per_2')
  })

  // The details by type of question in Gemini CLI 0.61.0: toSerializableDetails in hooks/hookSystem.js.
  it.each<[details: object, Partial<AgentEvent['question']>]>([
    [
      { type: 'mcp', title: 'Confirm MCP Tool Execution', serverName: 'git', toolName: 'tag' },
      { about: 'tool', subject: 'git: tag' },
    ],
    [
      {
        ...{ type: 'info', title: 'Confirm Web Fetch', prompt: 'Sum it up' },
        urls: ['https://example.com/a'],
      },
      { about: 'url', subject: 'https://example.com/a', detail: 'Sum it up' },
    ],
    [
      { type: 'info', title: 'Enter Plan Mode', prompt: 'This will restrict the agent' },
      { about: 'tool', subject: 'Enter Plan Mode', detail: 'This will restrict the agent' },
    ],
    [
      { type: 'ask_user', title: 'Ask User' },
      { about: 'question', subject: 'Ask User' },
    ],
    [
      { type: 'exit_plan_mode', title: 'Plan Approval' },
      { about: 'plan', subject: 'Plan Approval' },
    ],
  ])('of Gemini CLI with the details %j is found', (details, question) => {
    const payload = { ...readPayload('gemini', 'Notification.permission'), details }
    expect(parsePayload(payload).question).toMatchObject(question ?? {})
  })

  it('is undefined if the payload only names the tool', () => {
    expect(read('claude', 'Notification.permission')).toMatchObject({
      question: undefined,
      tool: 'Bash',
    })
    expect(read('copilot', 'Notification').question).toBeUndefined()
  })

  it('is undefined for an event without a question', () => {
    expect(read('qwen', 'PreToolUse').question).toBeUndefined()
    expect(read('claude', 'PostToolUse').question).toBeUndefined()
  })
})

it('the answer of Gemini CLI is empty if the agent said nothing', () => {
  const payload = readPayload('gemini', 'AfterAgent')
  const answer = (prompt_response: string) =>
    parsePayload({ ...payload, prompt_response }).lastMessage
  expect([answer('[no response text]'), answer('Done.')]).toEqual(['', 'Done.'])
})

describe('a failed turn', () => {
  const noon = Date.parse('2026-11-20T11:00:00Z')

  it('of Claude Code gives the limit and its end', () => {
    expect(read('claude', 'StopFailure', { at: noon }).failure).toEqual({
      reason: "You've hit your limit. It resets 3pm (Europe/Berlin)",
      cause: 'limit',
      isLimit: true,
      resetsAt: Date.parse('2026-11-20T14:00:00Z'),
    })
  })

  it('of Copilot gives the end of the limit', () => {
    expect(read('copilot', 'ErrorOccurred', { at: noon }).failure).toMatchObject({
      isLimit: true,
      resetsAt: noon + 125 * 60_000,
    })
  })

  it('of opencode gives the reason of the provider', () => {
    expect(read('opencode', 'session.error')).toMatchObject({
      message: 'Too many requests',
      failure: { reason: 'Too many requests', isLimit: true, resetsAt: undefined },
    })
  })

  it('of Cursor gives no reason, because the client sends none', () => {
    expect(read('cursor', 'stop.error').failure).toMatchObject({ reason: '', isLimit: false })
  })
})

it.each([
  ['claude', 'SubagentStop', 'general-purpose'],
  ['codex', 'SubagentStop', 'default'],
  ['copilot', 'SubagentStop', 'explore'],
  ['droid', 'SubagentStop', 'Find unused exports'],
  ['qwen', 'SubagentStop', 'general-purpose'],
])('the payload of %s %s names the sub-agent', (client, name, agent) => {
  expect(read(client, name).agent).toBe(agent)
})

it('a camelCase payload of Copilot names the sub-agent too', () => {
  const payload = { sessionId: 's1', timestamp: 1, stopReason: 'end_turn', agentName: 'explore' }
  expect(parsePayload(payload).agent).toBe('explore')
})

describe('a headless run', () => {
  it.each<[string, string, Record<string, string>, boolean | undefined]>([
    ['claude', 'Stop', { CLAUDE_CODE_SESSION_ATTENDED: '0' }, true],
    ['claude', 'Stop', { CLAUDE_CODE_SESSION_ATTENDED: '1' }, false],
    ['claude', 'Stop', { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' }, true],
    ['claude', 'Stop', { CLAUDE_CODE_ENTRYPOINT: 'cli' }, false],
    ['claude', 'Stop', { CLAUDE_CODE_ENTRYPOINT: 'unheard-of' }, undefined],
    ['claude', 'Stop', { CLAUDE_CODE_ENTRYPOINT: 'not-sdk-cli' }, undefined],
    ['claude', 'Stop', {}, undefined],
    ['codex', 'notify.exec', {}, true],
    ['codex', 'notify', {}, false],
    ['copilot', 'SessionEnd.complete', {}, true],
    ['copilot', 'SessionEnd', {}, false],
    ['qwen', 'Stop', { QWEN_CODE_MESSAGING_SOCKET: '/run/x' }, false],
    ['droid', 'Stop', {}, undefined],
  ])('of %s is recognised by %s with %j: %s', (client, name, env, isHeadless) => {
    expect(read(client, name, { env }).isHeadless).toBe(isHeadless)
  })
})

describe('the meaning of an event', () => {
  const prompts = ['claude UserPromptSubmit', 'gemini BeforeAgent', 'cursor beforeSubmitPrompt']

  it.each(table)('%s %s is a prompt only if a person wrote it', (client, name, means) => {
    expect(meaningOf(read(client, name)).isPrompt).toBe(means === 'UserPromptSubmit')
  })

  it('is a prompt whatever the client calls that event', () => {
    for (const prompt of prompts) {
      const [client = '', name = ''] = prompt.split(' ')
      expect(meaningOf(read(client, name)).isPrompt, prompt).toBe(true)
    }
  })

  it.each([
    ['claude', 'Stop', true],
    ['claude', 'UserPromptSubmit', true],
    ['codex', 'Interrupt', true],
    ['opencode', 'permission.replied', true],
    ['opencode', 'question.replied', true],
    ['opencode', 'question.rejected', true],
    ['qwen', 'PreToolUse', true],
    ['qwen', 'Notification.idle', true],
    ['claude', 'Notification.idle', false],
    ['claude', 'SubagentStop', false],
    ['claude', 'PostToolUse', false],
    ['claude', 'Notification.permission', false],
  ])('of %s %s is evidence of an answer: %s', (client, name, isAnswer) => {
    expect(meaningOf(read(client, name)).isAnswer).toBe(isAnswer)
  })

  it('is an ordinary end if the client always gives the same reason', () => {
    expect(meaningOf(read('codex', 'SessionEnd')).isOrdinaryEnd).toBe(true)
    expect(meaningOf(read('claude', 'SessionEnd.abnormal')).isOrdinaryEnd).toBe(false)
    expect(meaningOf(read('codex', 'Stop')).isOrdinaryEnd).toBe(false)
  })

  it('is internal for the hidden turn in which Codex makes a title', () => {
    expect(meaningOf(read('codex', 'notify.title'))).toMatchObject({
      isInternal: true,
      isTurnEnd: false,
    })
  })
})

describe('a repeat', () => {
  const pair = (client: string, first: string, again: string, apart: number) =>
    isRepeat(read(client, first, { at: 1000 }), read(client, again, { at: 1000 + apart }))

  it.each([
    ['gemini', 'SessionEnd', 'SessionEnd', 40, true],
    ['gemini', 'SessionEnd', 'SessionEnd', 5000, false],
    ['gemini', 'SessionEnd', 'SessionEnd', -1, false],
    ['gemini', 'BeforeTool.question', 'Notification.question', 180, true],
    ['gemini', 'BeforeTool.question', 'Notification.permission', 180, false],
    ['claude', 'PermissionRequest.agent', 'Notification.permission.unnamed', 6400, true],
    ['droid', 'SessionEnd.abnormal', 'SessionEnd.abnormal', 370, true],
    ['droid', 'SessionEnd.abnormal', 'SessionEnd.normal', 370, false],
    ['droid', 'SessionEnd.abnormal', 'SessionEnd.abnormal', 20_000, false],
    ['claude', 'PermissionRequest', 'Notification.permission', 6000, true],
    ['claude', 'PermissionRequest', 'Notification.idle', 6000, false],
    ['claude', 'PermissionRequest', 'PermissionRequest', 10, false],
    ['qwen', 'Stop', 'Notification.idle', 50, true],
    ['qwen', 'Stop', 'Notification.idle', 5500, true],
    ['qwen', 'StopFailure', 'Notification.idle', 300, true],
    ['qwen', 'PermissionRequest', 'Notification.permission', 5000, true],
    // The question of a sub-agent in the background, whose PermissionRequest is internal.
    ['qwen', 'Stop', 'Notification.permission', 50, false],
    ['qwen', 'StopFailure', 'Notification.permission', 50, false],
    ['qwen', 'PermissionRequest', 'Notification.auth', 50, false],
    ['claude', 'Stop', 'Notification.idle', 60_000, false],
    ['opencode', 'session.error', 'session.idle', 30, true],
    ['opencode', 'question.rejected', 'session.idle', 920, true],
    ['opencode', 'session.idle', 'session.idle', 20, true],
    ['opencode', 'session.idle', 'session.idle', 20_000, false],
    ['codex', 'Stop', 'notify', 300, true],
    ['claude', 'Stop', 'Stop', 10, false],
  ])('in %s: %s, then %s after %i ms: %s', (client, first, again, apart, is) => {
    expect(pair(client, first, again, apart)).toBe(is)
  })

  it.each([
    ['PreToolUse.question', 'PermissionRequest.question', 200, true],
    ['PreToolUse.question', 'Notification.permission', 6000, true],
    ['PreToolUse.question', 'PermissionRequest', 200, false],
    ['PreToolUse.question', 'PermissionRequest.question', 20_000, false],
    // The next question follows the answer.
    ['PermissionRequest.question', 'PreToolUse.question', 3000, false],
    ['PermissionRequest.question', 'PermissionRequest.question', 3000, false],
  ])(
    'of one call of a tool: %s of Claude Code, then %s after %i ms: %s',
    (first, again, apart, is) => {
      const [one, other] = [first, again].map((name) => read('claude', name)) as AgentEvent[]
      expect(isRepeat(one as AgentEvent, { ...(other as AgentEvent), at: 5 + apart })).toBe(is)
    },
  )

  it.each([
    ['codex', 'Stop', 'notify', { turnId: 'another' }],
    ['codex', 'SubagentStop', 'notify.agent', { turnId: 'another' }],
    ['gemini', 'SessionEnd', 'SessionEnd', { reason: 'another' }],
  ])('in %s is never an event that differs: %s, then %s with %j', (client, name, next, other) => {
    const [first, again] = [read(client, name), { ...read(client, next), ...other }]
    expect(isRepeat(first, again)).toBe(false)
    expect(isRepeat({ ...first, ...other, sessionId: 's' }, { ...again, sessionId: 's' })).toBe(
      true,
    )
  })

  it('is never an event of another session', () => {
    const [first, again] = [read('gemini', 'SessionEnd'), read('gemini', 'SessionEnd')]
    expect(isRepeat(first, { ...again, sessionId: 'other' })).toBe(false)
  })
})
