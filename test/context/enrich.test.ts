import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ClientName, findClient } from '../../src/clients/index.ts'
import { enrich } from '../../src/context/enrich.ts'
import type { AgentEvent } from '../../src/event/event.ts'
import { rememberPlace } from '../../src/install/places.ts'
import { makeAgentEvent, parsePayload, readPayload } from '../support/payload.ts'
import { makeHome, transcriptText } from './_world.ts'

const asked = Date.parse('2026-11-20T09:13:00.050Z')

/** Makes a home with the transcript path of a client, and events that name it. */
function makeSession(client: string, folder: string) {
  const { home } = makeHome()
  vi.stubEnv('HOME', home)
  onTestFinished(() => void vi.unstubAllEnvs())
  const path = join(home, folder, 's1.jsonl')
  mkdirSync(join(path, '..'), { recursive: true })
  const event = (fields: Partial<AgentEvent>): AgentEvent =>
    makeAgentEvent({ client, cwd: home, transcriptPath: path, at: asked, ...fields })
  // So long after the event that enrich waits for nothing.
  const around = { now: () => asked + 3600_000 }
  return { home, path, event, around }
}

/** The transcript at the time when the last command waited for permission. */
function pending(client: string): string {
  const lines = transcriptText(client).split('\n')
  return `${lines
    .slice(
      0,
      lines.findIndex((line) => line.includes('09:13:40')),
    )
    .join('\n')}\n`
}

/** The number of bytes that this process has read, from files and elsewhere. */
const bytesRead = () => Number(/^rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

const codexLine = (type: string, payload: object) =>
  `${JSON.stringify({ timestamp: '2026-11-20T09:12:59.000Z', type, payload })}\n`

const turnContext = (approvals_reviewer: string) =>
  codexLine('turn_context', { model: 'codex-fake', approvals_reviewer })

const clients: [string, string][] = [
  ['claude', '.claude/projects/-srv-app'],
  ['copilot', '.copilot/session-state/s1'],
  ['droid', '.factory/sessions/-srv-app'],
  ['qwen', '.qwen/projects/-srv-app/chats'],
]

describe('a prompt', () => {
  it('of claude is a scheduled one if a schedule has just fired, and otherwise that of a person', async () => {
    const { path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    const typed = event(parsePayload({ hook_event_name: 'UserPromptSubmit', prompt: 'Look again' }))
    const meansOf = async (prompt = 'Look again') => {
      const received = { ...typed, client: 'claude', transcriptPath: path, at: asked, prompt }
      return (await enrich(received, around)).means
    }
    const fire = (timestamp: string) =>
      `${JSON.stringify({ type: 'system', subtype: 'scheduled_task_fire', timestamp, prompt: 'Look again' })}\n`
    writeFileSync(path, transcriptText('claude') + fire('2026-11-20T09:12:59.700Z'))
    expect(await meansOf()).toBe('TurnStart')
    expect(await meansOf('Another thing')).toBe('UserPromptSubmit')
    writeFileSync(path, transcriptText('claude') + fire('2026-11-20T09:12:00.000Z'))
    expect(await meansOf()).toBe('UserPromptSubmit')
  })
  it.each([
    ['claude', '.claude/projects/-srv-app', ['user', '[Request interrupted by user]']],
    ['copilot', '.copilot/session-state/s1', ['abort', 'user_initiated']],
  ])(
    'of %s shows that a person has stopped the turn before, for which no hook fires',
    async (client, folder, [type = '', text = '']) => {
      const { path, event, around } = makeSession(client, folder)
      const timestamp = '2026-11-20T09:12:58.000Z'
      const lineOf = (of: string, content: string) =>
        `${JSON.stringify({
          ...{ type: client === 'copilot' && of !== 'abort' ? `${of}.message` : of, timestamp },
          message: { role: of, content: [{ type: 'text', text: content }] },
          data: { reason: content, content },
        })}\n`
      const received = event(parsePayload({ hook_event_name: 'UserPromptSubmit', prompt: 'Go on' }))
      const isInterrupted = async (...lines: string[]) => {
        writeFileSync(path, [lineOf('user', 'Start'), ...lines].join(''))
        const typed = { ...received, client, transcriptPath: path, at: asked }
        return (await enrich(typed, around)).isInterrupted ?? false
      }
      const stop = lineOf(type, text)
      const answer = lineOf('assistant', 'It is done.')
      const typed = lineOf('user', 'Go on')
      expect(await isInterrupted(answer)).toBe(false)
      expect(await isInterrupted(answer, typed)).toBe(false)
      expect(await isInterrupted(answer, stop)).toBe(true)
      expect(await isInterrupted(answer, stop, typed)).toBe(true)
      expect(await isInterrupted(stop, typed, answer)).toBe(false)
    },
  )
})

describe('a permission question', () => {
  it.each(clients)('of %s gets the pending command from the transcript', async (client, folder) => {
    const { path, event, around } = makeSession(client, folder)
    writeFileSync(path, pending(client))
    const received = event({ kind: 'permission', message: 'I need your permission' })
    expect(await enrich(received, around)).toMatchObject({
      question: { about: 'command', subject: 'rm -rf build', from: 'transcript' },
      message: 'I need your permission: rm -rf build',
      tool: expect.stringMatching(/./),
      toolUseId: 't3',
      prompt: 'Fix the login test',
      firstPrompt: 'Say hello',
    })
  })

  it.each<[client: ClientName, folder: string]>([
    ['claude', 'projects/-srv-app'],
    ['copilot', 'session-state/s1'],
    ['droid', 'sessions/-srv-app'],
    ['qwen', 'projects/-srv-app/chats'],
  ])('of a second profile of %s gets it only if init has registered there', async (client, of) => {
    const { home } = makeSession(client, '.unused')
    const state = join(home, 'state')
    vi.stubEnv('HOOKBELL_STATE_DIR', state)
    const { hookFiles = [] } = findClient(client) ?? {}
    const { path: name = '' } = hookFiles.find(({ scope }) => scope === 'user') ?? {}
    const profile = join(home, '.second')
    const transcriptPath = join(profile, of, 's1.jsonl')
    mkdirSync(join(transcriptPath, '..'), { recursive: true })
    writeFileSync(transcriptPath, pending(client))
    const received = makeAgentEvent({
      ...{ client, cwd: home, transcriptPath, at: asked, kind: 'permission' },
      message: 'I need your permission',
    })
    const subject = async () => (await enrich(received, { now: () => asked })).question?.subject
    expect(await subject()).toBeUndefined()
    const path = join(profile, name.replace('*', 'hookbell'))
    rememberPlace(state, { client, scope: 'user', path, form: 'wrapped' })
    expect(await subject()).toBe('rm -rf build')
  })

  it('of a sub-agent of claude is looked for in the transcript of the sub-agent', async () => {
    const { path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    writeFileSync(path, pending('claude'))
    const own = join(path.replace('.jsonl', ''), 'subagents/agent-a1.jsonl')
    mkdirSync(join(own, '..'), { recursive: true })
    const call = { type: 'tool_use', id: 'own', name: 'Bash', input: { command: 'make' } }
    const message = { role: 'assistant', content: [call] }
    const line = { isSidechain: true, agentId: 'a1', type: 'assistant', message }
    writeFileSync(own, `${JSON.stringify({ ...line, timestamp: '2026-11-20T09:13:00Z' })}\n`)
    const payload = { hook_event_name: 'PermissionRequest', tool_name: 'Bash' }
    const asks = (tool_input: object, agent_id?: string) => {
      const { question, tool, agentId } = parsePayload({ ...payload, tool_input, agent_id })
      return enrich(event({ kind: 'permission', question, tool, agentId }), around)
    }
    expect(await asks({ command: 'make' }, 'a1')).toMatchObject({
      toolUseId: 'own',
      transcriptPath: own,
      firstPrompt: 'Say hello',
    })
    expect(await asks({ command: 'rm -rf build' })).toMatchObject({
      toolUseId: 't3',
      transcriptPath: path,
    })
    // An agent id with path segments is not followed to another file.
    for (const id of ['../a1', 'a1/../a1'])
      expect(await asks({ command: 'make' }, id)).toMatchObject({ transcriptPath: path })
  })

  it('waits up to a second for a call that is written late', async () => {
    const { path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    const lines = pending('claude').trimEnd().split('\n')
    writeFileSync(path, `${lines.slice(0, -1).join('\n')}\n`)
    let looks = 0
    const now = () => {
      looks += 1
      if (looks === 3) appendFileSync(path, `${lines.at(-1)}\n`)
      return asked + looks * 50
    }
    const received = event({
      kind: 'permission',
      message: 'Claude needs your permission to use Bash',
      tool: 'Bash',
    })
    expect((await enrich(received, { ...around, now })).question?.subject).toBe('rm -rf build')
    expect(looks).toBe(3)
  })

  it('ignores a pending call of another tool', async () => {
    const { path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    writeFileSync(path, pending('claude'))
    const received = event({ kind: 'permission', message: 'May I?', tool: 'WebFetch' })
    expect(
      (await enrich(received, { ...around, now: () => asked + 2000 })).question,
    ).toBeUndefined()
  })

  it('names no command if several calls of its tool are open', async () => {
    const { path, event, around } = makeSession('droid', '.factory/sessions/-srv-app')
    const call = (pending('droid').trimEnd().split('\n').at(-1) ?? '')
      .replace('"t3"', '"t4"')
      .replace('rm -rf build', 'npm run migrate')
    writeFileSync(path, `${pending('droid')}${call}\n`)
    const message = 'Droid needs your permission to use Execute'
    const received = event({ kind: 'permission', tool: 'Execute', message })
    expect(await enrich(received, around)).toMatchObject({
      message,
      question: undefined,
      toolUseId: '',
    })
    expect((await enrich({ ...received, toolUseId: 't4' }, around)).message).toBe(
      `${message}: npm run migrate`,
    )
  })

  it('of droid names all calls of a message if it asks for all of them at once', async () => {
    const { path, event, around } = makeSession('droid', '.factory/sessions/-srv-app')
    const call = (name: string, input: object, id = name) => ({ type: 'tool_use', id, name, input })
    const ask = async (count: number, ...content: object[]) => {
      const message = { role: 'assistant', content }
      const line = { type: 'message', timestamp: '2026-11-20T09:13:00.000Z', message }
      writeFileSync(path, `${JSON.stringify(line)}\n`)
      const words = `Factory CLI needs permission to execute ${count} tool(s)`
      const asked = { kind: 'permission', means: 'Notification', message: words } as const
      return (await enrich(event(asked), around)).question?.subject
    }
    const build = call('Execute', { command: 'npm run build' })
    const file = call('Create', { file_path: '/srv/app/a.ts', content: '' })
    const question = call('AskUser', { questionnaire: '1. [question] Which database?' })
    expect(await ask(2, build, file)).toBe('Execute: npm run build\nCreate: /srv/app/a.ts')
    expect(await ask(1, build, file)).toBeUndefined()
    // A question of the agent has its own dialog, so the dialog for permission does not count it.
    expect(await ask(1, build, question)).toBe('npm run build')
  })

  it('is left unchanged if the pending call is damaged', async () => {
    const { path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    const content = [{ type: 'tool_use', id: 't9' }]
    writeFileSync(path, JSON.stringify({ type: 'assistant', message: { content } }))
    const received = event({ kind: 'permission', message: 'May I?' })
    expect(await enrich(received, around)).toMatchObject(received)
  })

  it('of codex gets the id of the call with the same command', async () => {
    const { path, event, around } = makeSession('codex', '.codex/sessions/2026')
    const call = pending('codex')
      .trimEnd()
      .split('\n')
      .findLast((line) => line.includes('"t3"'))
    const other = (call ?? '').replace('"t3"', '"t2b"').replace('rm -rf build', 'rg foo')
    writeFileSync(path, `${pending('codex')}${other}\n`)
    const ask = (command: string) => {
      const { question } = parsePayload({
        ...readPayload('codex', 'PermissionRequest'),
        tool_input: { command },
      })
      const message = 'Codex asks'
      return enrich(event({ kind: 'permission', tool: 'Bash', question, message }), around)
    }
    expect(await ask('rg foo')).toMatchObject({
      toolUseId: 't2b',
      tool: 'Bash',
      question: { from: 'payload' },
      message: 'Codex asks',
    })
    expect(await ask('rm -rf build')).toMatchObject({ toolUseId: 't3' })
    expect(await ask('npm run migrate')).toMatchObject({ toolUseId: '' })
  })

  it('of copilot that is asked in words is read from the tool call, if no other tool asks', async () => {
    const { path, event, around } = makeSession('copilot', '.copilot/session-state/s1')
    const schema = { type: 'object', properties: { db: { enum: ['PostgreSQL', 'SQLite'] } } }
    const question = { message: 'Which database do you want?', requestedSchema: schema }
    const asks = async (...calls: object[]) => {
      const data = { content: '', toolRequests: calls }
      const line = { type: 'assistant.message', timestamp: '2026-11-20T09:13:00.000Z', data }
      writeFileSync(path, `${JSON.stringify(line)}\n`)
      const received = parsePayload(readPayload('copilot', 'Notification.question'))
      const { kind, means, notificationType, message } = received
      const asked = event({ kind, means, notificationType, message, question: received.question })
      return await enrich(asked, around)
    }
    const other = { toolCallId: 'c2', name: 'git-tag', arguments: { name: 'v1' } }
    const call = { toolCallId: 'c1', name: 'ask_user', arguments: question }
    expect(await asks(call, other)).toMatchObject({
      ...{ toolUseId: 'c1', message: 'Which database do you want?' },
      question: {
        ...{ about: 'question', subject: 'Which database do you want?' },
        choices: ['PostgreSQL', 'SQLite'],
      },
    })
    expect(await asks(other)).toMatchObject({
      ...{ toolUseId: '', message: 'Information requested' },
      question: { about: 'question', subject: 'Information requested' },
    })
  })

  it('of droid that is asked in words is read from the tool call', async () => {
    const { path, event, around } = makeSession('droid', '.factory/sessions/-srv-app')
    const input = { questionnaire: '1. [question] Which database?\n[option] SQLite' }
    const content = [{ type: 'tool_use', id: 't9', name: 'AskUser', input }]
    const message = { role: 'assistant', content }
    const line = { type: 'message', timestamp: '2026-11-20T09:13:00.000Z', message }
    writeFileSync(path, `${JSON.stringify(line)}\n`)
    const received = parsePayload(readPayload('droid', 'Notification.question'))
    const { kind, means, notificationType, question } = received
    const asked = { kind, means, notificationType, question, message: received.message }
    expect(await enrich(event(asked), around)).toMatchObject({
      message: 'Which database?',
      question: { about: 'question', subject: 'Which database?', choices: ['SQLite'] },
    })
  })

  it('of copilot is looked for in the transcript of its session, which its payload does not name', async () => {
    const { path, event, around } = makeSession('copilot', '.copilot/session-state/s1')
    const own = join(path, '../events.jsonl')
    writeFileSync(own, pending('copilot'))
    const ask = (sessionId: string) =>
      enrich(event({ kind: 'permission', sessionId, transcriptPath: '' }), around)
    expect(await ask('s1')).toMatchObject({ transcriptPath: own, toolUseId: 't3' })
    for (const id of ['../s1', 's1/../s1'])
      expect(await ask(id)).toMatchObject({ transcriptPath: '', toolUseId: '' })
  })

  it.each([
    [
      'is not for a person if the reviewer of codex decides',
      'auto_review',
      {},
      'other',
      'PreToolUse',
    ],
    [
      'is not for a person if the reviewer has its older name',
      'guardian_subagent',
      {},
      'other',
      'PreToolUse',
    ],
    ['is for a person otherwise', 'user', {}, 'permission', 'PermissionRequest'],
    ['of an MCP server may be for a person', 'auto_review', { tool_name: 'mcp__db__drop' }],
    ['that is asked in words is for a person', 'auto_review', { tool_name: 'request_user_input' }],
  ])(
    'of codex %s',
    async (_, reviewer, fields, kind = 'permission', means = 'PermissionRequest') => {
      const { path, event, around } = makeSession('codex', '.codex/sessions/2026')
      const asks = event(parsePayload({ ...readPayload('codex', 'PermissionRequest'), ...fields }))
      const received = { ...asks, transcriptPath: path, at: asked }
      writeFileSync(path, `${pending('codex')}${turnContext(reviewer)}`)
      expect(await enrich(received, around)).toMatchObject({ kind, means })
    },
  )

  it('of codex is for a person if that was set within the turn', async () => {
    const { path, event, around } = makeSession('codex', '.codex/sessions/2026')
    const asks = event(parsePayload(readPayload('codex', 'PermissionRequest')))
    const received = { ...asks, transcriptPath: path, at: asked }
    const changed = { thread_settings: { approvals_reviewer: 'user' } }
    const line = codexLine('event_msg', { type: 'thread_settings_applied', ...changed })
    writeFileSync(path, `${pending('codex')}${turnContext('auto_review')}${line}`)
    expect((await enrich(received, around)).kind).toBe('permission')
  })

  it('keeps the question of its payload without reading the transcript', async () => {
    const { path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    writeFileSync(path, '')
    const { question } = parsePayload(readPayload('claude', 'PermissionRequest'))
    let looks = 0
    const now = () => {
      looks += 1
      return asked
    }
    const enriched = await enrich(event({ kind: 'permission', question }), { ...around, now })
    expect(enriched.question).toEqual(question)
    expect(looks).toBe(0)
  })

  it('does not wait for a transcript outside of the folders of the client', async () => {
    const { home, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    const outside = join(home, 'outside.jsonl')
    writeFileSync(outside, pending('claude'))
    const received = event({ kind: 'permission', transcriptPath: outside })
    expect((await enrich(received, around)).question).toBeUndefined()
  })
})

describe('a finished turn', () => {
  it('gets its facts from the transcript and the repository', async () => {
    const { home, path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    mkdirSync(join(home, '.git'))
    writeFileSync(join(home, '.git/HEAD'), 'ref: refs/heads/feature/tax\n')
    writeFileSync(path, transcriptText('claude'))
    const at = Date.parse('2026-11-20T09:14:00.060Z')
    expect(await enrich(event({ kind: 'done', at }), around)).toMatchObject({
      branch: 'feature/tax',
      title: 'Login test',
      model: 'claude-fake',
      tokens: { input: 480, output: 120 },
      durationMs: 240_060,
      did: { files: ['/srv/app/login.ts'], commands: ['npm test', 'rm -rf build'] },
      isHeadless: false,
    })
  })

  it('of droid becomes a failure if the transcript says so', async () => {
    const { path, event, around } = makeSession('droid', '.factory/sessions/-srv-app')
    const text = transcriptText('droid').replace(
      /"reason":"completed"(?![\s\S]*"reason":"completed")/,
      '"reason":"error"',
    )
    writeFileSync(path, text)
    const at = Date.parse('2026-11-20T09:14:00.060Z')
    expect(await enrich(event({ kind: 'done', at }), around)).toMatchObject({
      kind: 'failed',
      means: 'StopFailure',
      // The reason "error" is left out, because the kind already says it.
      failure: { reason: '', isLimit: false },
      message: '',
      client: 'droid',
      lastMessage: 'It is fixed.',
      durationMs: 240_060,
    })
  })

  describe('of Gemini CLI', () => {
    const finished = (last_assistant_message: string, ...lines: object[]) => {
      const { path, event, around } = makeSession('gemini', '.gemini/tmp/app/chats')
      const timestamp = '2026-11-20T09:14:01.000Z'
      const added = lines.map((line) => JSON.stringify({ ...line, timestamp }))
      writeFileSync(path, `${transcriptText('gemini').trimEnd()}\n${added.join('\n')}\n`)
      const payload = { ...readPayload('gemini', 'AfterAgent'), transcript_path: path }
      const at = Date.parse('2026-11-20T09:14:01.100Z')
      const received = parsePayload({ ...payload, prompt_response: last_assistant_message })
      return enrich({ ...event(received), client: 'gemini', transcriptPath: path, at }, around)
    }

    it('has only its last answer, not the whole text of the payload', async () => {
      expect(await finished('Is this the file?\nIt is fixed.')).toMatchObject({
        ...{ kind: 'done', lastMessage: 'It is fixed.' },
      })
      for (const other of ['It is fixed. Not yet.', 'Not yet.'])
        expect(await finished(other)).toMatchObject({ lastMessage: other })
    })

    it('keeps its answer without a transcript', async () => {
      const { event, around } = makeSession('gemini', '.gemini/tmp/app/chats')
      const received = event({ kind: 'done', lastMessage: 'It is fixed.' })
      expect(await enrich(received, around)).toMatchObject({ lastMessage: 'It is fixed.' })
    })

    it('becomes a failure if the transcript says so, with its limit', async () => {
      const content = '[API Error: {"error":{"code":429,"message":"You exceeded your quota"}}]'
      expect(await finished('[no response text]', { type: 'error', content })).toMatchObject({
        ...{ kind: 'failed', means: 'StopFailure', lastMessage: '' },
        message: 'You exceeded your quota',
        failure: { reason: 'You exceeded your quota', isLimit: true },
      })
    })

    it('was stopped by a person if the transcript says so', async () => {
      const note = { type: 'info', content: 'Request cancelled.' }
      expect(await finished('I will', note)).toMatchObject({ kind: 'other', means: 'Interrupt' })
    })
  })

  it('that failed has a duration only if its transcript shows that it was running', async () => {
    const { path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    writeFileSync(path, transcriptText('claude.queued'))
    const fails = async (time: string) => {
      const at = Date.parse(`2026-11-26T${time}Z`)
      const received = { kind: 'failed', means: 'StopFailure', at } as const
      return (await enrich(event(received), around)).durationMs
    }
    // The turn of the prompt that was waiting; then, no turn.
    expect(await fails('22:13:12.513')).toBe(2000)
    expect(await fails('22:13:20.000')).toBeUndefined()
  })

  it('of Kimi Code that failed is that of a sub-agent while the session waits for one', async () => {
    const { path, event, around } = makeSession('kimi', '.kimi-code/sessions/app')
    const received = { kind: 'failed', means: 'StopFailure' } as const
    writeFileSync(path, pending('kimi'))
    expect(await enrich(event(received), around)).toMatchObject({ means: 'SubagentStop' })
    writeFileSync(path, transcriptText('kimi'))
    const at = Date.parse('2026-11-20T09:14:30.000Z')
    expect(await enrich(event({ ...received, at }), around)).toMatchObject({ kind: 'failed' })
  })

  it('that failed has a reason even if the transcript gives none', async () => {
    const { path, event, around } = makeSession('codex', '.codex/sessions/2026')
    writeFileSync(path, JSON.stringify({ type: 'event_msg', payload: { type: 'error' } }))
    expect(await enrich(event({ kind: 'done', message: 'Sorry' }), around)).toMatchObject({
      kind: 'failed',
      failure: { reason: 'the turn failed' },
      message: 'Sorry',
    })
  })

  it('keeps what its payload says', async () => {
    const { path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    writeFileSync(path, transcriptText('claude'))
    const received = {
      prompt: 'Go',
      model: 'opus',
      isHeadless: true,
      durationMs: 7,
      lastMessage: 'Ok',
    }
    const at = Date.parse('2026-11-20T09:14:00.060Z')
    expect(await enrich(event({ kind: 'done', at, ...received }), around)).toMatchObject(received)
  })

  it('of claude counts as refused if a hook makes the agent go on within four seconds', async () => {
    const { path, event } = makeSession('claude', '.claude/projects/-srv-app')
    const lines = transcriptText('claude').trimEnd().split('\n')
    const at = Date.parse('2026-11-20T09:14:00.060Z')
    const end = event({ kind: 'done', at, lastMessage: 'It is fixed.' })
    const meansOf = async (summary: object, comesAfter = 3) => {
      writeFileSync(path, `${lines.slice(0, -1).join('\n')}\n`)
      const line = { type: 'system', subtype: 'stop_hook_summary', hookErrors: [], ...summary }
      let looks = 0
      const now = () => {
        looks += 1
        const timestamp = '2026-11-20T09:14:00.100Z'
        if (looks === comesAfter)
          appendFileSync(path, `${JSON.stringify({ ...line, timestamp })}\n`)
        return at + looks * 400
      }
      return (await enrich(end, { now })).means
    }
    const blocked = { hookErrors: ['tests fail'], failedHookErrorIndexes: [] }
    expect(await meansOf(blocked)).toBe('StopRefused')
    expect(await meansOf({ hookAdditionalContext: ['look again'] })).toBe('StopRefused')
    expect(await meansOf({ ...blocked, failedHookErrorIndexes: [0] })).toBe('Stop')
    expect(await meansOf({ ...blocked, preventedContinuation: true })).toBe('Stop')
    expect(await meansOf({ hookErrors: ['of an older version'] })).toBe('Stop')
    expect(await meansOf(blocked, 20)).toBe('Stop')
  })

  it.runIf(process.platform === 'linux')(
    'reads a long transcript again only when it grows',
    async () => {
      const { path, event } = makeSession('claude', '.claude/projects/-srv-app')
      const at = Date.parse('2026-11-20T09:14:00.060Z')
      const timestamp = '2026-11-20T09:13:00.000Z'
      const content = [{ type: 'text', text: 'x'.repeat(1000) }]
      const line = JSON.stringify({ type: 'assistant', timestamp, message: { content } })
      writeFileSync(path, `${line}\n`.repeat(1000))
      let looks = 0
      const now = () => {
        looks += 1
        return at + looks * 200
      }
      const before = bytesRead()
      await enrich(event({ kind: 'done', at, lastMessage: 'It is fixed.' }), { now })
      expect(looks).toBeGreaterThan(15)
      expect(bytesRead() - before).toBeLessThan(6_000_000)
    },
  )

  it.each([
    ['<command-message>review</command-message>\n<command-name>/review</command-name>', undefined],
    ['<bash-stdout>ok</bash-stdout><bash-stderr></bash-stderr>', 'human'],
    ['Another session sent a message', 'peer'],
  ])(
    'of claude is timed from the command or message that began it: %j',
    async (content, turnOrigin) => {
      const { path, event } = makeSession('claude', '.claude/projects/-srv-app')
      const timestamp = '2026-11-20T09:30:00.000Z'
      const isMeta = turnOrigin === 'peer'
      const line = { type: 'user', timestamp, turnOrigin, isMeta, message: { content } }
      writeFileSync(path, `${transcriptText('claude').trimEnd()}\n${JSON.stringify(line)}\n`)
      const at = Date.parse('2026-11-20T09:30:09.000Z')
      const done = event({ kind: 'done', at, lastMessage: 'Ok' })
      const late = { now: () => at + 5000 }
      expect(await enrich(done, late)).toMatchObject({ durationMs: 9000, did: { commands: [] } })
    },
  )

  it('has the branch of the transcript outside of a repository', async () => {
    const { path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    writeFileSync(path, transcriptText('claude'))
    const end = event({ kind: 'done', at: Date.parse('2026-11-20T09:14:00.060Z') })
    expect(await enrich(end, around)).toMatchObject({ branch: 'fix-login' })
  })

  it('is not timed from a prompt that comes after it', async () => {
    const { path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    writeFileSync(path, transcriptText('claude'))
    const at = Date.parse('2026-11-20T09:09:59.950Z')
    const { durationMs, prompt } = await enrich(event({ kind: 'done', at }), around)
    expect({ durationMs, prompt }).toEqual({ durationMs: 599_950, prompt: 'Say hello' })
  })

  it('has empty facts without a transcript', async () => {
    const { event, around } = makeSession('cursor', '.cursor/projects/x')
    const enriched = await enrich(event({ kind: 'done', transcriptPath: '' }), around)
    expect(enriched).toMatchObject({ title: '', branch: '', did: { files: [] }, tokens: undefined })
  })
})

/** Enriches the end of a turn in a recorded transcript with a queued prompt. The clock writes the later lines. */
async function endWhileQueued(
  [client, folder]: readonly [string, string],
  clock: string,
  {
    without = /^$/,
    findsQueued = true,
    ...fields
  }: Partial<AgentEvent> & { without?: RegExp; findsQueued?: boolean } = {},
) {
  const { path, event } = makeSession(client, folder)
  const at = Date.parse(`2026-11-26T${clock}Z`)
  let writtenAt = 0
  const lines = transcriptText(`${client}.queued`)
    .trimEnd()
    .split('\n')
    .filter((line) => !without.test(line))
    .map((line) => {
      const ms = /"time":(\d+)/.exec(line)?.[1]
      const own = Number(ms ?? Date.parse(/"timestamp":"([^"]+)"/.exec(line)?.[1] ?? ''))
      // Lines are written in their order, 50 ms after their timestamp.
      writtenAt = Math.max(writtenAt, own + 50 || 0)
      return { line, writtenAt }
    })
  let time = at
  const now = () => {
    const written = lines.filter((one) => one.writtenAt <= time)
    writeFileSync(path, written.map(({ line }) => `${line}\n`).join(''))
    time += 100
    return time
  }
  now()
  const end = event({ kind: 'done', at, ...fields })
  return { ...(await enrich(end, { now, findsQueued })), waitedMs: time - at }
}

describe('the end of a turn during which a prompt was queued', () => {
  const claude = ['claude', '.claude/projects/-srv-app'] as const
  const codex = ['codex', '.codex/sessions/2026'] as const
  const droid = ['droid', '.factory/sessions/-srv-app'] as const

  it.each([
    [claude, '22:13:09.972', 9109, '22:13:16.922', 6409],
    [codex, '22:14:37.850', 8082, '22:14:44.111', 6094],
    [droid, '22:13:10.286', 8656, '22:13:17.005', 6233],
    // A prompt that was sent with Ctrl+Enter: it runs no hook, and belongs to the same turn.
    [droid, '22:16:11.520', 8570, '22:16:18.207', 6445],
    [['copilot', '.copilot/session-state/s1'] as const, '23:00:44.905', 8345, '23:00:50.341', 5143],
    [['gemini', '.gemini/tmp/shop/chats'] as const, '22:14:38.759', 8407, '22:14:45.670', 6086],
    [
      ['kimi', '.kimi-code/sessions/wd_app_1/session_1/agents/main'] as const,
      '22:16:08.943',
      6430,
      '22:16:15.706',
      6362,
    ],
    [
      ['qwen', '.qwen/projects/-srv-app/chats'] as const,
      '22:16:11.440',
      8356,
      '22:16:19.650',
      6277,
    ],
  ])(
    'of %s at %s means StopQueued, and only the end after the queued prompt means Stop',
    async (session, first, firstMs, last, lastMs) => {
      expect(await endWhileQueued(session, first)).toMatchObject({
        ...{ means: 'StopQueued', durationMs: firstMs, prompt: expect.stringMatching(/^Fix/) },
      })
      expect(await endWhileQueued(session, last)).toMatchObject({
        ...{ means: 'Stop', durationMs: lastMs, prompt: expect.stringMatching(/^Now/) },
      })
    },
  )

  it('is an ordinary end if the prompt does not begin a turn in time', async () => {
    const without = /Now the linter|"UserPromptSubmit"/
    const ended = await endWhileQueued(codex, '22:14:37.850', { without })
    expect(ended).toMatchObject({ means: 'Stop', waitedMs: 500 })
  })

  it('of claude is delayed only while its transcript shows a queued prompt', async () => {
    const waited = async (without: RegExp) =>
      await endWhileQueued(claude, '22:13:09.972', { without, lastMessage: 'It is fixed.' })
    // 300 ms: until the transcript has the line about the hooks of this end.
    const own = { means: 'Stop', waitedMs: 300 }
    expect(await waited(/Now the linter|dequeue|ueue"/)).toMatchObject(own)
    expect(await waited(/user".*Now the linter/)).toMatchObject({ means: 'Stop', waitedMs: 2600 })
  })

  it('is reported although the clock was set back', async () => {
    const { path, event } = makeSession(...codex)
    writeFileSync(path, transcriptText('codex.queued'))
    const at = Date.parse('2026-11-26T22:14:44.111Z')
    const now = () => at - 3600_000
    expect(await enrich(event({ kind: 'done', at }), { now })).toMatchObject({ means: 'Stop' })
  })

  it('is an ordinary end, without waiting, if queued prompts are not looked for', async () => {
    const ended = await endWhileQueued(codex, '22:14:37.850', { findsQueued: false })
    expect(ended).toMatchObject({ means: 'Stop', waitedMs: 100 })
    const { path, event, around } = makeSession(...codex)
    writeFileSync(path, transcriptText('codex.queued'))
    const at = Date.parse('2026-11-26T22:14:37.850Z')
    const end = event({ kind: 'done', at })
    expect((await enrich(end, around)).means).toBe('StopQueued')
    expect((await enrich(end, { ...around, findsQueued: false })).means).toBe('Stop')
  })

  it.each([
    ['removed', (path: string) => rmSync(path, { force: true })],
    ['emptied', (path: string) => writeFileSync(path, '')],
  ])('keeps its facts if its transcript is %s while enrich waits', async (_, lose) => {
    const { path, event } = makeSession(...codex)
    writeFileSync(path, transcriptText('codex.queued'))
    const at = Date.parse('2026-11-26T22:14:44.111Z')
    let looks = 0
    const now = () => {
      looks += 1
      if (looks === 2) lose(path)
      return at + looks * 50
    }
    const ended = await enrich(event({ kind: 'done', at }), { now })
    expect(looks).toBeGreaterThan(1)
    expect(ended).toMatchObject({ durationMs: 6094, prompt: 'Now the linter' })
  })

  it.each([
    ['failed', codex, codexLine('event_msg', { type: 'error' }), 'StopFailure'],
    ['was stopped', codex, codexLine('event_msg', { type: 'turn_aborted' }), 'Interrupt'],
    [
      'was one of a sub-agent',
      droid,
      `${JSON.stringify({ type: 'session_start', callingSessionId: 's0' })}\n`,
      'SubagentStop',
    ],
  ])('is reported without waiting if the turn %s', async (_, [client, folder], line, means) => {
    const { path, event } = makeSession(client, folder)
    writeFileSync(path, `${pending(client)}${line}`)
    let looks = 0
    const now = () => {
      looks += 1
      return asked
    }
    const ended = event({ kind: 'done', isHeadless: false, lastMessage: 'It is fixed.' })
    expect((await enrich(ended, { now })).means).toBe(means)
    expect(looks).toBe(0)
  })

  it('is reported without waiting in a one-shot run', async () => {
    const ended = await endWhileQueued(codex, '22:14:44.111', { isHeadless: true })
    expect(ended).toMatchObject({ means: 'Stop', waitedMs: 100 })
  })
})

describe('an error of Copilot', () => {
  /** An error, after which the transcript gets these lines: each with its delay in ms. */
  async function failAnd(...added: [delayMs: number, line: object][]) {
    const { path, event } = makeSession('copilot', '.copilot/session-state/s1')
    const own = join(path, '../events.jsonl')
    const at = Date.parse('2026-11-20T09:13:00.050Z')
    const lineAt = ([delayMs, line]: [number, object]) =>
      `${JSON.stringify({ ...line, timestamp: new Date(at + delayMs).toISOString() })}\n`
    writeFileSync(own, pending('copilot'))
    let now = at
    const clock = () => {
      for (const one of added)
        if (one[0] > now - at - 100 && one[0] <= now - at) appendFileSync(own, lineAt(one))
      now += 100
      return now
    }
    const payload = {
      ...{ hook_event_name: 'ErrorOccurred', session_id: 's1', recoverable: true },
      error: { name: 'Error', message: '{"type":"api_error","message":"status 429"}' },
    }
    const received = parsePayload(payload, { client: 'copilot', at })
    return await enrich(
      { ...event(received), client: 'copilot', transcriptPath: '', at },
      { now: clock },
    )
  }

  const message = 'Failed to get response from the AI model; retried 5 times. 429 rate limit'
  const ended = { type: 'session.error', data: { errorType: 'rate_limit', message } }

  it('is a failure if the transcript shows that the turn ended with it', async () => {
    expect(await failAnd([300, ended])).toMatchObject({
      ...{ kind: 'failed', means: 'StopFailure', message },
      failure: { reason: message, isLimit: true },
    })
  })

  it('is no failure while the client tries again', async () => {
    const tries = { kind: 'other', means: '', failure: undefined }
    expect(await failAnd()).toMatchObject(tries)
    expect(await failAnd([0, { type: 'assistant.turn_start' }])).toMatchObject(tries)
    // The last attempt fails after enrich has stopped waiting.
    expect(await failAnd([5000, ended])).toMatchObject(tries)
  })

  it('is a failure if there is no transcript', async () => {
    const { event, around } = makeSession('copilot', '.copilot/session-state/s1')
    const failed = event({
      kind: 'failed',
      means: 'StopFailure',
      message: 'no',
      transcriptPath: '',
    })
    expect(await enrich(failed, around)).toMatchObject({ kind: 'failed', message: 'no' })
  })
})

describe('a transcript', () => {
  it('that does not exist yet is waited for, but only for a short time', async () => {
    const { path, event } = makeSession('claude', '.claude/projects/-srv-app')
    const look = async (comesAfter: number) => {
      let looks = 0
      const now = () => {
        looks += 1
        if (looks === comesAfter) writeFileSync(path, transcriptText('claude'))
        return asked + looks * 50
      }
      const at = Date.parse('2026-11-20T09:14:00.060Z')
      return await enrich(event({ kind: 'done', at }), { now: () => now() - asked + at })
    }
    expect(await look(10)).toMatchObject({ lastMessage: '' })
    expect(await look(3)).toMatchObject({ lastMessage: 'It is fixed.' })
  })
})

describe('the end of a turn', () => {
  it('is marked as asking if its answer ends with a question', async () => {
    const { path, event, around } = makeSession('droid', '.factory/sessions/-srv-app')
    writeFileSync(path, transcriptText('droid'))
    const end = event({ kind: 'done', at: Date.parse('2026-11-20T10:00:00Z') })
    expect(await enrich(end, around)).not.toHaveProperty('asks')
    const asking = { ...end, lastMessage: 'It is fixed. Shall I deploy?' }
    expect(await enrich(asking, around)).toMatchObject({ asks: true })
    expect(await enrich({ ...asking, kind: 'waiting' }, around)).toMatchObject({ asks: true })
    expect(await enrich({ ...asking, kind: 'ended' }, around)).not.toHaveProperty('asks')
  })
})

describe('the end of a session', () => {
  it('has neither the answer nor the duration of its last turn', async () => {
    const { path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    writeFileSync(path, transcriptText('claude'))
    const end = event({ kind: 'ended', at: Date.parse('2026-11-20T10:00:00Z') })
    const enriched = await enrich(end, around)
    expect(enriched).toMatchObject({ title: 'Login test', lastMessage: '' })
    expect(enriched.durationMs).toBeUndefined()
  })
})

describe('the end of a sub-agent', () => {
  it.each([
    ['while a tool runs, that of a sub-agent', '09:13:30', 'subagent-done', ''],
    ['after the end of the turn, that of a sub-agent too', '09:14:20', 'subagent-done', ''],
    ['after the last answer, that of the turn', '09:14:00.060', 'done', 'It is fixed.'],
  ])(
    'of Kimi Code has the payload of the end of a turn, so its time decides: %s',
    async (_, clock, kind, lastMessage) => {
      const { path, event, around } = makeSession(
        'kimi',
        '.kimi-code/sessions/wd_app_1/session_1/agents/main',
      )
      writeFileSync(path, transcriptText('kimi'))
      const at = Date.parse(`2026-11-20T${clock}Z`)
      expect(await enrich(event({ kind: 'done', means: 'Stop', at }), around)).toMatchObject({
        ...{ kind, lastMessage, means: kind === 'done' ? 'Stop' : 'SubagentStop' },
      })
    },
  )

  it('gets no facts about the turn of the session', async () => {
    const { path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    writeFileSync(path, transcriptText('claude'))
    expect(await enrich(event({ kind: 'subagent-done' }), around)).toMatchObject({
      title: '',
      firstPrompt: '',
      prompt: '',
      tokens: undefined,
      did: { tools: {}, files: [], commands: [] },
    })
  })
})

describe('an agent that waits', () => {
  it('has its last message', async () => {
    const { path, event, around } = makeSession('droid', '.factory/sessions/-srv-app')
    writeFileSync(path, transcriptText('droid'))
    const end = event({ kind: 'done', at: Date.parse('2026-11-20T10:00:00Z') })
    const { lastMessage } = await enrich(end, around)
    expect(lastMessage).not.toBe('')
    expect(await enrich({ ...end, kind: 'waiting' }, around)).toMatchObject({ lastMessage })
  })

  it('keeps the words of a notice that says what it waits for', async () => {
    const { path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    writeFileSync(path, transcriptText('claude'))
    const message = 'review needs your input: Which branch?'
    const needs = { kind: 'waiting', notificationType: 'agent_needs_input', message } as const
    expect(await enrich(event(needs), around)).toMatchObject({ message, lastMessage: '' })
  })

  it('was at rest if its session ended abnormally without having a transcript', async () => {
    const { path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    const crash = event({ kind: 'abnormal-end', reason: 'other' })
    expect(await enrich(crash, around)).toMatchObject({ isAtRest: true })
    expect(await enrich({ ...crash, kind: 'ended' }, around)).not.toHaveProperty('isAtRest')
    const elsewhere = { ...crash, transcriptPath: '/srv/s1.jsonl' }
    expect(await enrich(elsewhere, around)).not.toHaveProperty('isAtRest')
    writeFileSync(path, pending('claude'))
    expect(await enrich(crash, around)).not.toHaveProperty('isAtRest')
  })

  it('was at rest if its session ended abnormally after a turn that ended well', async () => {
    const { path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    const at = Date.parse('2026-11-20T18:00:00Z')
    const crash = event({ kind: 'abnormal-end', reason: 'other', at })
    writeFileSync(path, transcriptText('claude'))
    expect(await enrich(crash, around)).toMatchObject({ isAtRest: true })
    const prompt = { type: 'user', timestamp: '2026-11-20T17:59:00Z', message: { content: 'Go' } }
    appendFileSync(path, `${JSON.stringify(prompt)}\n`)
    expect(await enrich(crash, around)).not.toHaveProperty('isAtRest')
  })

  it('was at rest if its session ended abnormally before any prompt', async () => {
    const { path, event, around } = makeSession('droid', '.factory/sessions/-srv-app')
    const crash = event({ kind: 'abnormal-end', reason: 'other' })
    const start = { type: 'session_start', id: 's1', title: 'New Session', cwd: '/srv/app' }
    const hook = { role: 'user', content: [], visibility: 'user_only', hookEventName: 'SessionEnd' }
    const lines = [start, { type: 'message', message: hook }]
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    expect(await enrich(crash, around)).toMatchObject({ isAtRest: true })
    const prompt = { type: 'message', message: { role: 'user', content: 'Fix it' } }
    appendFileSync(path, `${JSON.stringify(prompt)}\n`)
    expect(await enrich(crash, around)).not.toHaveProperty('isAtRest')
  })

  it('asks about the plan at the end of a turn of codex, which only the transcript has', async () => {
    const { path, event, around } = makeSession('codex', '.codex/sessions/2026')
    const item = { type: 'Plan', id: 'p1', text: '# Plan\n- Pin the clock\n' }
    const plan = codexLine('event_msg', { type: 'item_completed', item })
    writeFileSync(path, `${pending('codex')}${plan}`)
    const stop = event({ kind: 'done', means: 'Stop', lastMessage: 'Here it is.' })
    const lastMessage = '# Plan\n- Pin the clock\n\nImplement this plan?'
    expect(await enrich(stop, around)).toMatchObject({ lastMessage, asks: true })
    const next = codexLine('event_msg', { type: 'user_message', message: 'Yes' })
    writeFileSync(path, `${pending('codex')}${plan}${next}`)
    expect(await enrich(stop, around)).toMatchObject({ lastMessage: 'Here it is.' })
  })

  it('has the error of its last turn if its session ended abnormally', async () => {
    const { path, event, around } = makeSession('codex', '.codex/sessions/2026')
    const at = Date.parse('2026-11-20T18:00:00Z')
    const crash = event({ kind: 'abnormal-end', means: 'SessionEnd', reason: 'other', at })
    const end = codexLine('event_msg', { type: 'task_complete', error: { message: 'status 401' } })
    writeFileSync(path, `${pending('codex')}${end}\n`)
    expect(await enrich(crash, around)).toMatchObject({ message: 'status 401' })
    expect(await enrich(crash, around)).not.toHaveProperty('isAtRest')
    writeFileSync(path, transcriptText('codex'))
    expect(await enrich(crash, around)).toMatchObject({ message: '', isAtRest: true })
  })

  it('of codex is the end of its work only once its sub-agents are over', async () => {
    const { path, event, around } = makeSession('codex', '.codex/sessions/2026')
    const prompted = { type: 'item_completed', turn_id: 'u1' }
    const item = { type: 'UserMessage', content: [{ type: 'text', text: 'Review' }] }
    const spawn = (id: string) =>
      codexLine('response_item', { type: 'function_call', name: 'spawn_agent', call_id: id }) +
      codexLine('response_item', {
        ...{ type: 'function_call_output', call_id: id, output: `{"agent_id":"${id}"}` },
      })
    const start = codexLine('event_msg', { ...prompted, item })
    const over = codexLine('event_msg', { type: 'task_complete' })
    const done = async (lines: string) => {
      writeFileSync(path, lines)
      return await enrich(event({ kind: 'done', means: 'Stop', turnId: 'u1' }), around)
    }
    const agentDone = async (lines: string, agentId = 'a1') => {
      writeFileSync(path, lines)
      const ended = { kind: 'subagent-done', means: 'SubagentStop' } as const
      const received = event({ ...ended, agentId, turnId: 'u1', lastMessage: 'Is that all?' })
      return await enrich(received, around)
    }
    const running = await done(start + spawn('a1') + spawn('a2'))
    expect(running).toMatchObject({ kind: 'done', backgroundTasks: 2, backgroundAgents: 2 })
    expect(await agentDone(start + spawn('a1') + over)).toMatchObject({
      ...{ kind: 'done', means: 'Stop', turnId: '', durationMs: 1050 },
      ...{ lastMessage: 'Is that all?', asks: true },
    })
    const isSubagent = { kind: 'subagent-done', means: 'SubagentStop' }
    // Another one goes on, the turn does, or it had closed this one before it ended.
    expect(await agentDone(start + spawn('a1') + spawn('a2') + over)).toMatchObject(isSubagent)
    expect(await agentDone(start + spawn('a1'))).toMatchObject(isSubagent)
    expect(await agentDone(start + spawn('a2') + over)).toMatchObject(isSubagent)
    expect(await agentDone(start + over)).toMatchObject(isSubagent)
    expect(await agentDone(start + spawn('a1') + over, '')).toMatchObject(isSubagent)
  })

  it.each<[kind: AgentEvent['kind'], becomes: AgentEvent['kind']]>([
    ['done', 'subagent-done'],
    ['failed', 'subagent-done'],
    ['waiting', 'waiting'],
    ['abnormal-end', 'ended'],
    ['permission', 'permission'],
  ])('of a member of a team of Claude Code is one of a sub-agent: %s', async (kind, becomes) => {
    const { path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    const member = { teamName: 'migration', agentName: 'docs', isSidechain: false }
    const lines = [
      { ...member, type: 'user', message: { content: 'Write the docs' } },
      { ...member, type: 'assistant', message: { content: [{ type: 'text', text: 'Written.' }] } },
    ]
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const found = await enrich(event({ kind, means: 'Stop' }), around)
    expect(found).toMatchObject({ kind: becomes, isOfSubagent: true })
  })

  it('is a sub-agent of droid if another session called its session', async () => {
    const { path, event, around } = makeSession('droid', '.factory/sessions/-srv-app')
    const start = { type: 'session_start', id: 's1', title: 'Worker: Look', callingSessionId: 's0' }
    const lines = [
      start,
      { type: 'message', message: { role: 'user', content: '# Task Tool Invocation' } },
      { type: 'message', message: { role: 'assistant', content: 'Two exports are unused.' } },
    ]
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    const stop = event({ kind: 'done', means: 'Stop' })
    expect(await enrich(stop, around)).toMatchObject({
      ...{ kind: 'subagent-done', means: 'SubagentStop' },
      lastMessage: 'Two exports are unused.',
    })
    const end = event({ kind: 'abnormal-end', means: 'SessionEnd', reason: 'other' })
    expect(await enrich(end, around)).toMatchObject({ kind: 'ended', means: 'SessionEnd' })
  })

  it('was interrupted if the transcript says so', async () => {
    const { path, event, around } = makeSession('claude', '.claude/projects/-srv-app')
    const waiting = event({ kind: 'waiting', at: Date.parse('2026-11-20T10:00:00Z') })
    writeFileSync(path, transcriptText('claude'))
    expect(await enrich(waiting, around)).not.toHaveProperty('isInterrupted')
    const content = '[Request interrupted by user for tool use]'
    const line = { type: 'user', timestamp: '2026-11-20T09:58:00Z', message: { content } }
    appendFileSync(path, `${JSON.stringify(line)}\n`)
    expect(await enrich(waiting, around)).toMatchObject({ isInterrupted: true })
    expect(await enrich({ ...waiting, kind: 'ended' }, around)).not.toHaveProperty('isInterrupted')
    const crash = { ...waiting, kind: 'abnormal-end' } as const
    expect(await enrich(crash, around)).toMatchObject({ isInterrupted: true })
    // The client may have interrupted the turn itself because it was killed.
    const killed = { ...crash, at: Date.parse('2026-11-20T09:58:04Z') }
    expect(await enrich(killed, around)).not.toHaveProperty('isInterrupted')
  })
})
