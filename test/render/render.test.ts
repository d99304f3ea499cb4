import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { EnrichedEvent } from '../../src/context/enrich.ts'
import { kinds } from '../../src/event/kind.ts'
import { formatDuration } from '../../src/render/duration.ts'
import { Renderer } from '../../src/render/render.ts'
import { Templates } from '../../src/render/templates.ts'
import { makeAgentEvent } from '../support/payload.ts'

function makeEvent(fields: Partial<EnrichedEvent> = {}): EnrichedEvent {
  return {
    ...makeAgentEvent(),
    id: 'e1',
    at: Date.UTC(2026, 10, 20, 9, 30),
    client: 'droid',
    name: 'Stop',
    kind: 'done',
    sessionId: '0123456789',
    cwd: '/srv/api-server',
    transcriptPath: '',
    message: '',
    lastMessage: '',
    prompt: '',
    notificationType: '',
    reason: '',
    tool: '',
    agent: '',
    backgroundTasks: 0,
    durationMs: undefined,
    env: {},
    problems: [],
    project: 'api-server',
    branch: '',
    title: '',
    firstPrompt: '',
    tokens: undefined,
    did: { tools: {}, files: [], commands: [] },
    ...fields,
  }
}

function makeConfigDir(files: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-templates-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, 'templates', name, '..'), { recursive: true })
    writeFileSync(join(folder, 'templates', name), text)
  }
  return folder
}

function render(event: Partial<EnrichedEvent>, folder = makeConfigDir(), secrets: string[] = []) {
  return new Renderer(new Templates(folder), makeEvent(event), secrets)
}

describe('a message', () => {
  it.each<[Partial<EnrichedEvent>, string, string]>([
    [{ kind: 'permission', message: 'Use Bash?' }, 'api-server: permission needed', 'Use Bash?'],
    [{ kind: 'waiting', message: 'Idle' }, 'api-server: waiting for you', 'Idle'],
    [{ lastMessage: 'All green', durationMs: 240_000 }, 'api-server: done in 4 min', 'All green'],
    [{}, 'api-server: done', ''],
    [{ backgroundTasks: 1 }, 'api-server: done', 'Still in the background: 1 task'],
    [
      { lastMessage: 'Started both', backgroundTasks: 2 },
      'api-server: done',
      'Started both\nStill in the background: 2 tasks',
    ],
    [{ kind: 'subagent-done', agent: 'tester' }, 'api-server: tester done', ''],
    [
      { kind: 'subagent-done', agent: 'tester', message: 'out of memory', lastMessage: 'So far' },
      'api-server: tester failed',
      'out of memory\nSo far',
    ],
    [
      { kind: 'abnormal-end', reason: 'error', durationMs: 5000 },
      'api-server: session ended abnormally (error)',
      'It lasted 5 s.',
    ],
    [{ kind: 'ended', reason: 'clear' }, 'api-server: session ended (clear)', ''],
    [{ kind: 'failed', message: 'rate limit' }, 'api-server: failed', 'rate limit'],
    [{ kind: 'other', name: 'FutureEvent', problems: ['cut'] }, 'api-server: FutureEvent', 'cut'],
    [
      { kind: 'other', name: 'UserPromptSubmit', prompt: 'Fix it' },
      'api-server: UserPromptSubmit',
      'Fix it',
    ],
    [{ project: '', kind: 'permission' }, 'droid: permission needed', ''],
  ])('of %j is readable', (event, title, body) => {
    expect(render(event)).toMatchObject({ title, body, problems: [] })
  })

  it('has no live markup of the agent in any format', () => {
    for (const kind of kinds) {
      const event = {
        kind,
        message: '<b>say',
        lastMessage: '<b>say',
        reason: '<b>say',
        cwd: '/<b>say',
      }
      const renderer = render(event)
      for (const format of ['slack', 'html'] as const) {
        const { markup } = renderer.message('normal', format)
        expect(markup, `${format} ${kind}`).not.toContain('<b>say')
      }
    }
  })

  it('is bounded, without control characters and without secrets', () => {
    const noise = `\u001b[31m${'x'.repeat(50_000)}\u0000`
    const secret = 'canary-0123456789'
    const fields = [
      'project',
      'message',
      'lastMessage',
      'reason',
      'tool',
      'agent',
      'cwd',
      'sessionId',
      'name',
    ]
    for (const kind of kinds) {
      const event = Object.fromEntries(fields.map((field) => [field, `${secret} ${noise}`]))
      const renderer = render({ ...event, kind }, undefined, [secret])
      const message = renderer.message('normal', 'html')
      expect(message.title.length).toBeLessThanOrEqual(120)
      expect(message.body.length).toBeLessThanOrEqual(3000)
      expect(JSON.stringify(message)).not.toMatch(/canary|\\u001b|\\u0000/)
    }
  })

  it('is well-formed even where a cut meets a surrogate pair', () => {
    const { sessionId, cwd } = render({
      sessionId: `a${'😀'.repeat(300)}`,
      cwd: `/${'😀'.repeat(3000)}`,
    }).message('low', undefined)
    expect([sessionId.isWellFormed(), cwd.isWellFormed()]).toEqual([true, true])
  })

  it('comes from the template in the folder of the user, file by file', () => {
    const folder = makeConfigDir({ 'plain/done.liquid': 'Ping {{ project }}\n{{ last_message }}!' })
    expect(render({ lastMessage: 'ok' }, folder)).toMatchObject({
      title: 'Ping api-server',
      body: 'ok!',
    })
    expect(render({ kind: 'waiting' }, folder).title).toBe('api-server: waiting for you')
  })

  it.each([
    [
      'unknown filter',
      '{{ project | nope }}',
      /^template plain\/done.liquid: undefined filter: nope, line:1/,
    ],
    ['open tag', '\n{% if x %}', /tag .* not closed, line:2/],
    ['include', "{% include 'x' %}", /template plain\/done.liquid: ENOENT/],
  ])(
    'comes from ours where that of the user is broken, and says so: %s',
    (_, template, problem) => {
      const folder = makeConfigDir({ 'plain/done.liquid': template })
      const { title, problems } = render({}, folder)
      expect(title).toBe('api-server: done')
      expect(problems.join()).toMatch(problem)
    },
  )

  it('names a broken template of another format before the event is recorded', () => {
    const folder = makeConfigDir({ 'slack/done.liquid': '{{ x | nope }}' })
    expect(render({}, folder).problems.join()).toContain('template slack/done.liquid: ')
  })

  it.skipIf(process.getuid?.() === 0)('names a template that cannot be read', () => {
    const folder = makeConfigDir({ 'plain/done.liquid': 'x' })
    chmodSync(join(folder, 'templates/plain/done.liquid'), 0)
    expect(render({}, folder).problems.join()).toContain('EACCES')
  })

  it('is made of a changed template without a restart', () => {
    const folder = makeConfigDir({ 'plain/done.liquid': 'one' })
    const templates = new Templates(folder)
    expect(new Renderer(templates, makeEvent(), []).title).toBe('one')
    writeFileSync(join(folder, 'templates/plain/done.liquid'), 'two')
    expect(new Renderer(templates, makeEvent(), []).title).toBe('two')
  })
})

describe('a duration', () => {
  it.each([
    [0, '0 s'],
    [752.99, '1 s'],
    [59_400, '59 s'],
    [59_600, '1 min'],
    [240_000, '4 min'],
    [3_570_000, '1 h'],
    [3_900_000, '1 h 5 min'],
    [86_400_000, '24 h'],
  ])('of %d ms is %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })
})
