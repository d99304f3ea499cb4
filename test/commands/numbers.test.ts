import { appendFileSync, mkdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { acceptEvent, type Header } from '../../src/spool/event-file.ts'
import { makeHome } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'

const MINUTE = 60_000

/** The counts and times below are computed by hand from this history. Minutes since its beginning stand before each event. */
async function makeHistory() {
  const { url } = await startReceiver({})
  const team = { type: 'webhook', url, allowPrivateNetwork: true }
  const home = await makeHome({
    channels: { team },
    routes: [{ on: ['permission', 'done'], to: ['team'] }],
    lingerSeconds: 0,
  })
  // In whole seconds, which the time of a file keeps exactly.
  const start = Math.floor(Date.now() / 1000) * 1000 - 180 * MINUTE
  const accept = (minute: number, client: string, event: object, more: Partial<Header> = {}) => {
    const at = (start + minute * MINUTE) / 1000
    const body = JSON.stringify({ cwd: home.project, ...event })
    const id = acceptEvent(home.state, { client, env: {}, ...more }, Buffer.from(body))
    utimesSync(join(home.state, 'spool/new', id), at, at)
    return id
  }
  const work = () => home.run('worker', '--once')
  return { home, start, accept, work, transcript: makeTranscript(home.home, start) }
}

function makeTranscript(home: string, start: number) {
  const path = join(home, '.claude/projects/-w/c1.jsonl')
  mkdirSync(join(path, '..'), { recursive: true })
  const write = (minute: number, type: string, content: object) => {
    const timestamp = new Date(start + minute * MINUTE).toISOString()
    const message = { role: type, content: [content] }
    appendFileSync(path, `${JSON.stringify({ type, timestamp, message })}\n`)
  }
  return {
    path,
    call: (minute: number, id: string) =>
      write(minute, 'assistant', { type: 'tool_use', id, name: 'Bash', input: { command: id } }),
    result: (minute: number, id: string) =>
      write(minute, 'user', { type: 'tool_result', tool_use_id: id, content: 'ok' }),
  }
}

type History = Awaited<ReturnType<typeof makeHistory>>

const claude = (session_id: string, hook_event_name: string, more: object = {}) => ({
  ...{ session_id, hook_event_name },
  ...more,
})
const asks = (session_id: string, command: string, more: object = {}) =>
  claude(session_id, 'PermissionRequest', { tool_name: 'Bash', tool_input: { command }, ...more })
const opencode = (name: string, more: object) => ({
  ...{ hook_event_name: `permission.${name}`, sessionID: 'o1' },
  ...more,
})

/** Nine questions of five clients; the ids of the events that asked them, by their names. */
async function ask({ accept, home, transcript, work }: History) {
  const inTranscript = { transcript_path: transcript.path }
  await home.run('mute', '--session', 'muted')
  accept(0, 'claude', claude('c1', 'UserPromptSubmit', { prompt: 'Go', ...inTranscript }))
  transcript.call(1, 'make')
  const make = asks('c1', 'make', inTranscript)
  const ids = {
    transcript: accept(1, 'claude', make),
    reply: accept(2, 'opencode', opencode('asked', { id: 'r1', permission: 'bash' })),
    second: accept(3, 'opencode', opencode('asked', { id: 'r2', permission: 'edit' })),
    prompt: accept(5, 'gemini', {
      ...{ session_id: 'g1', hook_event_name: 'Notification', notification_type: 'ToolPermission' },
      message: 'Tool Confirm Edit requires editing',
    }),
    ended: accept(6, 'droid', {
      ...{ session_id: 'd1', hook_event_name: 'Notification', message: 'Droid needs permission' },
      notification_type: 'permission_prompt',
    }),
    agent: accept(7, 'claude', asks('c2', 'ls', { agent_id: 'a1' })),
    muted: accept(8, 'claude', asks('muted', 'rm')),
    open: accept(9, 'claude', asks('c3', 'npm publish')),
  }
  // The same event again, from the hooks of the project.
  accept(1, 'claude', make, { shared: true })
  await work()
  return ids
}

async function answer({ accept, home, start, transcript, work }: History) {
  const inTranscript = { transcript_path: transcript.path }
  const c1 = (name: string, more: object = {}) => claude('c1', name, { ...inTranscript, ...more })
  const notice = { notification_type: 'permission_prompt', message: 'Claude needs permission' }
  // The client repeats the question, which is answered four minutes after it was asked.
  accept(1.1, 'claude', c1('Notification', notice))
  accept(2.5, 'opencode', opencode('replied', { requestID: 'r1' }))
  accept(4, 'opencode', opencode('replied', { requestID: 'r2' }))
  accept(15, 'gemini', { session_id: 'g1', hook_event_name: 'BeforeAgent', prompt: 'Go on' })
  accept(16, 'droid', { session_id: 'd1', hook_event_name: 'SessionEnd', reason: 'exit' })
  accept(17, 'claude', claude('c2', 'SubagentStop', { agent_id: 'a1', agent_type: 'Explore' }))
  accept(18, 'claude', claude('muted', 'UserPromptSubmit', { prompt: 'No' }))
  transcript.result(5, 'make')
  await work()
  // The end of that turn, an idle notice, and a turn whose question its transcript does not show.
  const first = accept(11, 'claude', c1('Stop', { last_assistant_message: 'Done.' }))
  const idle = { notification_type: 'idle_prompt', message: 'Claude is waiting for your input' }
  accept(12, 'claude', c1('Notification', idle))
  accept(21, 'claude', c1('UserPromptSubmit', { prompt: 'Now the rest' }))
  const wentOn = accept(22, 'claude', asks('c1', 'npm test'))
  const second = accept(23, 'claude', claude('c1', 'Stop', { last_assistant_message: 'Done.' }))
  await work()
  // The tests of `doctor`, and of `init` and `test`.
  accept(24, 'claude', { hook_event_name: 'HookbellCanary', session_id: 'doctor' })
  await work()
  await home.run('test', 'team')
  return { wentOn, first, second, start }
}

/** The time that each question waited, in minutes, and what showed its answer. */
const expected = {
  transcript: [4, 'transcript'],
  reply: [0.5, 'reply'],
  second: [1, 'reply'],
  prompt: [10, 'prompt'],
  ended: [undefined, 'none'],
  agent: [10, 'went-on'],
  muted: [10, 'prompt'],
  wentOn: [1, 'went-on'],
  open: undefined,
} as const

describe('the numbers of one history', () => {
  it('agree in report, digest, simulate, why and log, and are right', async () => {
    const history = await makeHistory()
    const { home } = history
    const asked = await ask(history)
    const { wentOn, first, second, start } = await answer(history)
    const json = async (...words: string[]) =>
      JSON.parse((await home.run(...words, '--json')).stdout)

    const report = await json('report')
    // Known times: 0.5, 1, 4, 10 and 10 minutes. Two were answered, nobody knows when; one never; one is open.
    expect(report.waits.find(({ kind }: { kind: string }) => kind === 'permission')).toEqual({
      ...{ project: 'api-server', kind: 'permission', waits: 9, answered: 7, open: 1 },
      ...{ medianMs: 4 * MINUTE, p90Ms: 10 * MINUTE, longestMs: 10 * MINUTE },
    })
    // From the end of the first turn to the next prompt, and since the end of the second.
    expect(report.waits.find(({ kind }: { kind: string }) => kind === 'done')).toMatchObject({
      ...{ waits: 2, answered: 1, open: 1, medianMs: 10 * MINUTE },
    })
    expect(report.waits).toHaveLength(2)
    // 11 minutes, of which 4 were waited, and 2, of which 1 was.
    expect(report.turns).toEqual([
      { project: 'api-server', turns: 2, medianMs: 2 * MINUTE, medianWorkMs: MINUTE },
    ])

    const digest = await json('digest')
    expect(digest).toMatchObject({ done: 2, failed: 0, asked: 9, repeats: 2 })
    expect(digest.waiting.map(({ id }: { id: string }) => id)).toEqual([asked.open])
    expect(digest.events).toBe(report.events)

    const simulation = await json('simulate')
    expect(simulation).toMatchObject({ events: report.events, questions: 9, missed: [] })

    for (const [name, id] of Object.entries({ ...asked, wentOn })) {
      const [minutes, how] = expected[name as keyof typeof expected] ?? []
      const { answer: known, acceptedAt } = await json('log', id)
      expect([name, known?.how]).toEqual([name, how])
      if (minutes !== undefined) expect(known.at - acceptedAt).toBe(minutes * MINUTE)
      expect((await json('why', id)).answer).toEqual(known)
      const { stdout: why } = await home.run('why', id)
      expect(why.match(/^ {2}answer /gm)?.length ?? 0).toBe(known ? 1 : 0)
    }
    const titles = await Promise.all(
      [first, second].map(async (id) => (await json('why', id)).title),
    )
    expect(titles).toEqual([
      'Claude · api-server: done in 11 min (up to 4 min of it waiting for you)',
      'Claude · api-server: done in 2 min (up to 1 min of it waiting for you)',
    ])
    const { stdout: why } = await home.run('why', asked.transcript)
    expect(why).toMatch(/^ {2}answer +\S+ \S+, after 4 min: the transcript goes on$/m)
    const { stdout: none } = await home.run('log', asked.ended)
    expect(none).toContain('answer   none: the session ended before anybody answered')
    const { stdout: before } = await home.run('log', wentOn)
    expect(before).toMatch(/^answer {3}before \S+ \S+: the agent had gone on$/m)
    expect(report.from).toBeLessThan(start)
  })
})
