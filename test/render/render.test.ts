import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { lexer } from 'marked'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { EnrichedEvent } from '../../src/context/enrich.ts'
import type { Clearance } from '../../src/delivery.ts'
import { HookbellError } from '../../src/errors.ts'
import { kinds } from '../../src/event/event.ts'
import { Renderer } from '../../src/render/render.ts'
import { Templates } from '../../src/render/templates.ts'
import { valueNames } from '../../src/render/values.ts'
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
  return new Renderer(new Templates(folder), makeEvent(event), {
    secrets,
    host: 'here',
    read: lexer,
  })
}

const failedBy = (reason: string) => ({ reason, cause: '', isLimit: false, resetsAt: undefined })

describe('a message', () => {
  it.each<[Partial<EnrichedEvent>, string, string]>([
    [
      { kind: 'permission', message: 'Use Bash?' },
      'Droid · api-server: permission needed',
      'Use Bash?',
    ],
    [{ kind: 'waiting', message: 'Idle' }, 'Droid · api-server: waiting for you', 'Idle'],
    [{ kind: 'waiting', client: 'hookbell', message: 'It works' }, 'hookbell works', 'It works'],
    [
      { kind: 'waiting', notificationType: 'push_notification', message: 'The build is red' },
      'Droid · api-server: a message for you',
      'The build is red',
    ],
    [
      { lastMessage: 'All green', durationMs: 240_000 },
      'Droid · api-server: done in 4 min',
      'All green',
    ],
    [{}, 'Droid · api-server: done', ''],
    [{ backgroundTasks: 1 }, 'Droid · api-server: done', 'Still in the background: 1 task'],
    [
      { lastMessage: 'Started both', backgroundTasks: 2 },
      'Droid · api-server: done',
      'Started both\nStill in the background: 2 tasks',
    ],
    [{ kind: 'subagent-done', agent: 'tester' }, 'Droid · api-server: sub-agent done (tester)', ''],
    [
      { kind: 'subagent-done', agent: 'tester', message: 'out of memory', lastMessage: 'So far' },
      'Droid · api-server: sub-agent failed (tester)',
      'out of memory\nSo far',
    ],
    [
      { kind: 'abnormal-end', reason: 'error', durationMs: 5000 },
      'Droid · api-server: session ended abnormally',
      'The agent ended because of an error.\nLook at its terminal. Open the session again to go on.\nIt lasted 5 s.',
    ],
    [
      { kind: 'abnormal-end', reason: 'other', message: 'status 401', durationMs: 5000 },
      'Droid · api-server: session ended abnormally',
      'The agent ended without a reason: it may have crashed, or have been killed.\nstatus 401\nLook at its terminal. Open the session again to go on.\nIt lasted 5 s.',
    ],
    [
      { kind: 'abnormal-end', reason: 'max_turns', prompt: 'Add\nthe tax' },
      'Droid · api-server: session ended abnormally (max_turns)',
      'Look at its terminal. Open the session again to go on.\nIt worked on: Add the tax',
    ],
    [
      {
        kind: 'failed',
        message: 'max_output_tokens',
        failure: failedBy('max_output_tokens'),
        prompt: 'Add the tax',
      },
      'Droid · api-server: failed',
      'The answer was cut off: it reached the longest length that the model may write.\nTell the agent to go on, in smaller steps.\nIt worked on: Add the tax',
    ],
    [
      { kind: 'failed', message: 'unknown', failure: failedBy('unknown') },
      'Droid · api-server: failed',
      'The turn ended with an error, and the agent does not say which.\nLook at its terminal, then tell it to go on.',
    ],
    [{ kind: 'ended', reason: 'clear' }, 'Droid · api-server: session ended (clear)', ''],
    [{ kind: 'failed', message: 'rate limit' }, 'Droid · api-server: failed', 'rate limit'],
    [{ kind: 'failed' }, 'Droid · api-server: failed', 'The turn ended with an error.'],
    [
      {
        kind: 'failed',
        client: 'hookbell',
        project: '',
        reason: 'it is broken',
        message: 'Fix it',
      },
      'hookbell: it is broken',
      'Fix it',
    ],
    [
      { kind: 'other', name: 'FutureEvent', problems: ['cut'] },
      'Droid · api-server: FutureEvent',
      'cut',
    ],
    [
      { kind: 'other', name: 'UserPromptSubmit', prompt: 'Fix it' },
      'Droid · api-server: UserPromptSubmit',
      'Fix it',
    ],
    [{ project: '', kind: 'permission' }, 'Droid: permission needed', ''],
    [{ client: 'unknown', kind: 'permission' }, 'api-server: permission needed', ''],
  ])('for the event %j has a readable title and body', (event, title, body) => {
    expect(render(event)).toMatchObject({ title, body, problems: [] })
  })

  it.each([
    ['permission', 'permission needed'],
    ['waiting', 'waiting for you'],
    ['done', 'done'],
    ['subagent-done', 'sub-agent done'],
    ['ended', 'session ended'],
    ['abnormal-end', 'session ended abnormally'],
    ['failed', 'failed'],
    ['other', 'Stop'],
  ] as const)('about %s has its kind in the title, however long the names are', (kind, words) => {
    const project = `api${'👩‍👩‍👧'.repeat(8)}${'-server'.repeat(8)} (bold-fox)`
    const renderer = render({ kind, project, agent: 'tester'.repeat(20) })
    const { title, origin } = renderer.message('normal', { clearance: 'full' })
    expect(title).toMatch(/^Droid · api\S+…[a-z-]+ \(bold-fox\): /)
    expect(title).toContain(`(bold-fox): ${words}`)
    expect(title.isWellFormed()).toBe(true)
    expect(origin?.project).toBe(project)
  })

  it('contains no active markup of the agent in any format', () => {
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
        const { markup } = renderer.message('normal', { clearance: 'full', markup: format })
        expect(markup, `${format} ${kind}`).not.toContain('<b>say')
      }
    }
  })

  it('does not repeat the title of an unknown event in its text', () => {
    const renderer = render({ kind: 'other', name: 'FutureEvent', tool: 'Bash', message: 'a' })
    for (const markup of ['slack', 'discord', 'telegram', 'html'] as const) {
      const message = renderer.message('normal', { clearance: 'full', markup })
      expect(message.title).toBe('Droid · api-server: FutureEvent (Bash)')
      expect(message.markup, markup).not.toContain('FutureEvent')
    }
  })

  it('keeps the lines of plain text in HTML', () => {
    const question = { tool: 'Task', about: 'tool', subject: 'Look', detail: 'a\nb', choices: [] }
    const events = [
      { kind: 'permission', question },
      ...['permission', 'waiting', 'subagent-done', 'failed', 'other'].map((kind) => ({
        kind,
        message: 'a\nb',
      })),
    ] as Partial<EnrichedEvent>[]
    for (const event of events) {
      const { markup } = render(event).message('normal', { clearance: 'full', markup: 'html' })
      expect(markup, event.kind).toMatch(/<(p|pre) style="white-space: pre-(line|wrap)">a\nb</)
    }
  })

  it('mentions no turn where hookbell itself reports a failure', () => {
    const own = { kind: 'failed', client: 'hookbell', reason: 'it is broken', message: 'Fix it' }
    const htmlOf = (event: object) =>
      render(event).message('normal', { clearance: 'full', markup: 'html' }).markup
    expect(htmlOf(own)).not.toContain('The turn')
    expect(htmlOf({ ...own, client: 'droid', message: '' })).toContain('The turn')
  })

  it('has a limited length and contains no control characters or secrets', () => {
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
      const message = renderer.message('normal', { clearance: 'full', markup: 'html' })
      expect(message.title.length).toBeLessThanOrEqual(120)
      expect(message.body.length).toBeLessThanOrEqual(3000)
      expect(JSON.stringify(message)).not.toMatch(/canary|\\u001b|\\u0000/)
    }
  })

  it('is well-formed even if it is truncated within a surrogate pair', () => {
    const { sessionId, cwd } = render({
      sessionId: `a${'😀'.repeat(300)}`,
      cwd: `/${'😀'.repeat(3000)}`,
    }).message('low', { clearance: 'full' })
    expect([sessionId.isWellFormed(), cwd.isWellFormed()]).toEqual([true, true])
  })

  it('uses a template of the user, and the built-in one for other kinds', () => {
    const folder = makeConfigDir({ 'plain/done.liquid': 'Ping {{ project }}\n{{ last_message }}!' })
    expect(render({ lastMessage: 'ok' }, folder)).toMatchObject({
      title: 'Ping api-server',
      body: 'ok!',
    })
    expect(render({ kind: 'waiting' }, folder).title).toBe('Droid · api-server: waiting for you')
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
    'uses the built-in template and reports a problem if that of the user is broken: %s',
    (_, template, problem) => {
      const folder = makeConfigDir({ 'plain/done.liquid': template })
      const { title, problems } = render({}, folder)
      expect(title).toBe('Droid · api-server: done')
      expect(problems.join()).toMatch(problem)
    },
  )

  it('reports a broken template of another format before the event is recorded', () => {
    const folder = makeConfigDir({ 'slack/done.liquid': '{{ x | nope }}' })
    expect(render({}, folder).problems.join()).toContain('template slack/done.liquid: ')
  })

  it('reports a template that cannot be read', () => {
    const folder = makeConfigDir({ 'plain/other.liquid': 'x' })
    // A link to itself, because root can read a file without permissions.
    symlinkSync('done.liquid', join(folder, 'templates/plain/done.liquid'))
    expect(render({}, folder).problems.join()).toContain(
      'done.liquid: a link that leads back to itself',
    )
  })

  it('uses a changed template without a restart', () => {
    const folder = makeConfigDir({ 'plain/done.liquid': 'one' })
    const templates = new Templates(folder)
    expect(new Renderer(templates, makeEvent(), { secrets: [], host: 'here' }).title).toBe('one')
    writeFileSync(join(folder, 'templates/plain/done.liquid'), 'two')
    expect(new Renderer(templates, makeEvent(), { secrets: [], host: 'here' }).title).toBe('two')
  })
})

describe('a question', () => {
  const question = { tool: 'Bash', detail: '', choices: [], from: 'payload' } as const

  it.each<[string, NonNullable<EnrichedEvent['question']>, string, string]>([
    [
      'its command',
      { ...question, about: 'command', subject: 'npm publish *', detail: 'Release it' },
      'Droid · api-server: permission needed',
      'Bash: npm publish *\nRelease it',
    ],
    [
      'all questions with their choices',
      {
        ...{ ...question, about: 'question', count: 2, isMultiple: true, choices: ['a: A', 'b'] },
        subject: 'Which **store**? (1 of 2, choose one)\n1. SQLite: small\n2. Redis\n\nWhat else?',
      },
      'Droid · api-server: asks you',
      'Which store? (1 of 2, choose one)\n\n1. SQLite: small\n2. Redis\n\nWhat else? (2 of 2, choose several)\n1. a: A\n2. b',
    ],
    [
      'its change',
      { ...question, about: 'file', tool: 'Edit', subject: 'a.ts', change: '- a < b\n+ a > b' },
      'Droid · api-server: permission needed',
      'Edit: a.ts\n- a < b\n+ a > b',
    ],
    [
      'its file',
      { ...question, about: 'file', tool: 'Edit', subject: 'src/a_b.ts' },
      'Droid · api-server: permission needed',
      'Edit: src/a_b.ts',
    ],
    [
      'its words and choices',
      { ...question, about: 'question', subject: 'Which **store**?', choices: ['SQLite', 'Redis'] },
      'Droid · api-server: asks you',
      'Which store? (choose one)\n1. SQLite\n2. Redis',
    ],
    [
      'its plan',
      { ...question, about: 'plan', subject: '# Plan\n\n1. Move\n2. Test' },
      'Droid · api-server: asks you to approve a plan',
      'Plan\n\n1. Move\n2. Test',
    ],
  ])('is shown with %s', (_, asked, title, body) => {
    const { tool } = asked
    const event = { kind: 'permission', message: 'May I?', tool, question: asked } as const
    expect(render(event)).toMatchObject({ title, body })
    const { markup } = render(event).message('normal', { clearance: 'summary', markup: 'slack' })
    expect(markup).toContain(asked.subject.split(/[\s*_#]+/).find(Boolean))
  })
})

describe('a question of a sub-agent', () => {
  const question = {
    ...{ about: 'command', tool: 'Bash', subject: 'npm publish', detail: '' },
    ...{ choices: [], from: 'payload' },
  } as const satisfies EnrichedEvent['question']
  const event = { kind: 'permission', tool: 'Bash', question, agentId: 'a1' } as const

  it('names the sub-agent before what it asks, in each format', () => {
    const renderer = render({ ...event, agent: 'Ex*plore' })
    expect(renderer).toMatchObject({
      title: 'Droid · api-server: permission needed',
      body: 'Sub-agent Ex*plore · Bash: npm publish',
    })
    const markupIn = (markup: string) =>
      renderer.message('critical', { clearance: 'summary', markup }).markup
    expect(markupIn('slack')).toMatch(/^\*Sub-agent Ex\u200b?\*\u200b?plore\*\n\*Bash\*\n/)
    expect(markupIn('html')).toMatch(/^<p><b>Sub-agent Ex\*plore<\/b><\/p>\s*<p><b>Bash<\/b><\/p>/)
  })

  it('is shown as one of the session if the session itself runs as a named agent', () => {
    expect(render({ ...event, agent: 'reviewer', agentId: '' }).body).toBe('Bash: npm publish')
  })
})

describe('the end of a turn', () => {
  const did = { tools: { Edit: 3, Bash: 2 }, files: ['a', 'b', 'c'], commands: ['npm t', 'ls'] }

  it('shows an answer in its order', () => {
    const lastMessage = 'I moved it:\n\n- **a**\n- b\n\n```\nnpm test\n```\n\nAll pass.'
    const answer = ['I moved it:\n\n• a\n• b', 'npm test', 'All pass.']
    expect(render({ lastMessage }).body).toBe(answer.join('\n\n'))
    const team = { clearance: 'summary', leavesMachine: true } as const
    expect(render({ lastMessage }).message('low', team).body).toBe(`${answer[0]}\n\nAll pass.`)
  })

  it.each(['plain', 'slack', 'discord', 'telegram', 'html'])(
    'shows what was done besides the question: %s',
    (format) => {
      const lastMessage = 'The **tax** is added.\n\nShould I delete the old one?'
      const reader = { clearance: 'summary', leavesMachine: true } as const
      const { body, markup } = render({ lastMessage }).message('low', { ...reader, markup: format })
      for (const text of [body, ...(format === 'plain' ? [] : [markup])])
        expect(text).toMatch(/Should I delete the old one\?.*The \W*(b>)?tax/s)
    },
  )

  it('shows the question of the agent first, then the rest of the answer, then its actions', () => {
    const lastMessage = 'I looked at **both** stores.\n\nShould I delete the old one?'
    const { title, body } = render({ lastMessage, did, durationMs: 240_000 })
    expect(title).toBe('Droid · api-server: done in 4 min and asks you')
    expect(body).toBe(
      'Should I delete the old one?\n\nI looked at both stores.\n\ndid: 3 files, 2 commands, 4 min',
    )
  })

  it('shows the reason of a failure and the end of a limit', () => {
    const resetsAt = Date.UTC(2026, 10, 20, 15, 0)
    const failure = { reason: 'You hit your limit', cause: 'limit', isLimit: true, resetsAt }
    const renderer = render({ kind: 'failed', message: failure.reason, failure })
    expect(renderer).toMatchObject({
      title: 'Droid · api-server: limit reached',
      body: 'You hit your limit\nThe limit is over at 15:00.\nUntil it is over, another model or account may go on.',
    })
    const { markup } = renderer.message('normal', { clearance: 'full', markup: 'slack' })
    expect(markup).toContain(
      'The limit is over at <!date^1795186800^{date_short_pretty} {time}|15:00>.',
    )
  })
})

describe('the origin of a message', () => {
  const team = { clearance: 'summary', leavesMachine: true } as const
  const known = { title: 'Retry webhooks', firstPrompt: 'Please retry', branch: 'main' }

  it.each<[Partial<EnrichedEvent>, string]>([
    [known, 'Retry webhooks'],
    [{ ...known, title: '' }, 'Please retry'],
    [{ firstPrompt: 'x'.repeat(90) }, `${'x'.repeat(59)}…`],
    [{}, '01234567'],
  ])('is labelled with the best known name of the session %j', (event, label) => {
    expect(render(event).message('low', team).origin?.label).toBe(label)
  })

  it('has project and branch, and the host if the message leaves the machine', () => {
    const renderer = render(known)
    const facts = { project: 'api-server', branch: 'main' }
    expect(renderer.message('low', team).origin).toMatchObject({ ...facts, host: 'here' })
    const desk = renderer.message('low', { clearance: 'full' })
    expect(desk.origin).toMatchObject({ ...facts, host: '' })
  })

  const replyTo = 'hookbell reply 0123456789 "…"'
  const resume = "cd '/srv/api-server' && claude --resume 0123456789"
  const own = { client: 'claude' } as const

  it.each<[string, Partial<EnrichedEvent>, string]>([
    ['a reply through the API', {}, replyTo],
    [
      'an end of such a session',
      { kind: 'ended' },
      "cd '/srv/api-server' && droid --resume 0123456789",
    ],
    ['a turn that is done', own, resume],
    ['a failed turn', { ...own, kind: 'failed' }, resume],
    ['an abnormal end', { ...own, kind: 'abnormal-end' }, resume],
    ['a question, which is answered where it is asked', { ...own, kind: 'permission' }, ''],
    ['a turn of a sub-agent', { ...own, agentId: 'a1' }, ''],
    ['a session of a sub-agent', { ...own, isOfSubagent: true }, ''],
    ['an unknown client', { client: 'other' }, ''],
    ['no id', { ...own, sessionId: '' }, ''],
    ['an id that is no word', { sessionId: 'x; rm -rf ~' }, ''],
    ['an id that is an option', { sessionId: '--help' }, ''],
    [
      'a folder with a quote',
      { ...own, cwd: "/srv/it's; rm -rf ~" },
      "cd '/srv/it'\\''s; rm -rf ~' && claude --resume 0123456789",
    ],
  ])('has the command to go on, if there is one: %s', (_, event, reply) => {
    expect(render(event).message('low', team).origin?.reply).toBe(reply)
  })

  it.each([
    '',
    'src',
    'C:\\src',
    '/a\nb',
    '/a`b',
    '/a  b',
    '/a\u202eb',
    `/${'a'.repeat(130)}`,
    '/canary-1',
  ])('names no folder that could arrive changed: %j', (cwd) => {
    const { origin } = render({ ...own, cwd }, undefined, ['canary-1']).message('low', team)
    expect(origin?.reply).toBe('claude --resume 0123456789')
  })

  it('leads a shell into exactly that folder, whatever its name', () => {
    const root = makeConfigDir()
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }), (word) => {
        const cwd = join(root, word.replace(/\/|^\.+$/g, '_'))
        mkdirSync(cwd, { recursive: true })
        const reply = render({ ...own, cwd }).message('low', team).origin?.reply ?? ''
        const [, there] = /^(cd .*) && claude --resume 0123456789$/.exec(reply) ?? []
        if (there === undefined) return
        const { stdout } = spawnSync('sh', ['-c', `${there} && pwd -P`], { encoding: 'utf8' })
        expect(stdout).toBe(`${realpathSync(cwd)}\n`)
      }),
      { numRuns: 30 },
    )
  })
})

describe('clearance', () => {
  const canary = 'canarybird'
  const middle = `Begin of it. ${'One more word. '.repeat(100)}\n\nThe ${canary} sits here.\n\n${'And on it goes. '.repeat(100)}\n\nAll 12 tests pass now.`
  const long = `start ${'and so on '.repeat(150)} ${canary} ${'and so on '.repeat(150)} end`
  const question = { about: 'command', tool: 'Bash', subject: long, detail: long } as const
  const asked = { ...question, choices: [], from: 'payload' } as const
  const spoken = { ...asked, about: 'question', tool: '', choices: ['Yes'] } as const
  const events: Partial<EnrichedEvent>[] = [
    ...kinds.map((kind) => ({ kind, lastMessage: middle, message: long, prompt: long })),
    { kind: 'permission', question: asked, message: long },
    { kind: 'permission', question: spoken, message: long },
    { kind: 'waiting', lastMessage: middle },
  ]
  const everything = (event: Partial<EnrichedEvent>, clearance: Clearance) =>
    ['html', 'slack', undefined].map((markup) =>
      JSON.stringify(render(event).message('low', { clearance, markup, leavesMachine: true })),
    )

  it('`full` allows whole messages', () => {
    expect(everything({ lastMessage: middle }, 'full').join()).toContain(canary)
  })

  it.each(events)('`summary` removes the middle of a text: %#', (event) => {
    for (const text of everything(event, 'summary')) expect(text).not.toContain(canary)
  })

  const short = `All 12 tests pass now:\n\n\`\`\`\n${canary}\n\`\`\``

  it.each(['done', 'waiting'] as const)('`summary` shows no code of an answer: %s', (kind) => {
    for (const text of everything({ kind, lastMessage: short }, 'summary')) {
      expect(text).toContain('All 12 tests pass now:')
      expect(text).not.toContain(canary)
    }
  })

  it('`summary` hides other texts, file names and commands from templates', () => {
    const all = valueNames.map((name) => `{{ ${name} }}`).join(' ')
    const folder = makeConfigDir({ 'plain/done.liquid': all, 'slack/done.liquid': all })
    const did = { tools: { Bash: 1 }, files: [canary], commands: [canary] }
    const told = (clearance: Clearance) =>
      JSON.stringify(
        render({ lastMessage: short, did }, folder).message('low', { clearance, markup: 'slack' }),
      )
    expect(told('summary')).toContain('All 12 tests pass now:')
    expect(told('summary')).not.toContain(canary)
    expect(told('full')).toContain(canary)
  })

  it('`summary` allows the end of an answer and the question', () => {
    expect(everything({ lastMessage: middle }, 'summary').join()).toContain('All 12 tests pass')
    const question = { ...asked, subject: 'npm publish', detail: '' }
    const ask = { kind: 'permission', question } as const
    for (const text of everything(ask, 'summary')) expect(text).toContain('npm publish')
  })

  it.each(kinds)('`minimal` removes all text of the agent: %s', (kind) => {
    const fields = ['message', 'lastMessage', 'prompt', 'tool', 'agent', 'title', 'firstPrompt']
    const event = {
      ...Object.fromEntries(fields.map((field) => [field, `${canary} ${field}`])),
      kind,
      reason: `because ${canary}`,
      question: { ...spoken, subject: canary, detail: canary, choices: [canary] },
      failure: { reason: canary, cause: canary, isLimit: true, resetsAt: 0 },
      did: { tools: { [canary]: 1 }, files: [canary], commands: [canary] },
      problems: [canary],
      durationMs: 60_000,
    }
    for (const text of everything(event, 'minimal')) {
      expect(text).not.toContain(canary)
      expect(text).toContain('api-server')
    }
  })

  it('`minimal` also applies to templates of the user', () => {
    const all = valueNames.map((name) => `{{ ${name} }}`).join(' ')
    const folder = makeConfigDir({ 'plain/done.liquid': all, 'slack/done.liquid': all })
    const event = { lastMessage: `${canary}. ${middle}`, message: canary }
    const { body, title, markup } = render(event, folder).message('low', {
      clearance: 'minimal',
      markup: 'slack',
    })
    expect(body + title + markup).not.toContain(canary)
  })
})

describe('the template that a route names', () => {
  const reader = { clearance: 'full', markup: 'slack', template: 'short' } as const

  it('is used instead of the template of the kind', () => {
    const folder = makeConfigDir({
      'plain/short.liquid': '{{ project }}!',
      'slack/short.liquid': '*{{ project }}*',
    })
    const message = render({ lastMessage: 'Long story' }, folder).message('low', reader)
    expect(message).toMatchObject({ title: 'api-server!', body: '', markup: '*api-server*' })
  })

  it('is used in its plain form if it does not exist for a format', () => {
    const folder = makeConfigDir({ 'plain/short.liquid': '{{ project }}!' })
    const message = render({ lastMessage: 'Long story' }, folder).message('low', reader)
    expect(message).toMatchObject({ title: 'api-server!', body: '', markup: '' })
  })

  it('is replaced by the template of the kind and reported if it is missing', () => {
    const renderer = render({ lastMessage: 'Short story' })
    expect(renderer.message('low', reader)).toMatchObject({ body: 'Short story' })
    expect(renderer.problems).toEqual(['template plain/short.liquid: cannot be used'])
  })
})

describe('a message that cannot be rendered as usual', () => {
  it('uses the built-in template without a time limit if the machine slept meanwhile', () => {
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 60_000
      return now
    })
    onTestFinished(() => void clock.mockRestore())
    const event = { lastMessage: 'All green', durationMs: 240_000 }
    const folder = makeConfigDir({ 'plain/done.liquid': 'own {{ headline }} {{ duration }}' })
    expect(render(event).problems).toEqual([])
    for (const renderer of [render(event), render(event, folder)]) {
      expect(renderer).toMatchObject({
        title: 'Droid · api-server: done in 4 min',
        body: 'All green',
      })
    }
    expect(render(event, folder).problems).toEqual([expect.stringContaining('limit exceeded')])
  })

  it.each([
    [{ lastMessage: 'All **green**' }, 'All green'],
    [{ kind: 'waiting', message: 'Idle' }, 'Idle'],
  ] as const)('has the text of the event %j even if the package is gone', (event, body) => {
    const templates = Object.assign(new Templates(makeConfigDir()), {
      builtIn() {
        throw new HookbellError('E_TEMPLATE', 'done.liquid: missing')
      },
    })
    const deps = { secrets: [], host: 'here', read: lexer }
    const renderer = new Renderer(templates, makeEvent(event), deps)
    expect(renderer).toMatchObject({ title: 'Droid · api-server: Stop', body })
    expect(renderer.problems).toEqual(['done.liquid: missing'])
  })
})

it('a template that takes too long is not tried again for the next events until it changes', () => {
  const endless =
    '{% for a in (1..90000) %}{% for b in (1..90000) %}{% assign c = a | plus: b %}{% endfor %}{% endfor %}'
  const configDir = makeConfigDir({ 'plain/done.liquid': endless })
  const templates = new Templates(configDir)
  const render = () => new Renderer(templates, makeEvent(), { secrets: [], host: 'here' })
  expect(render().problems).toEqual([expect.stringContaining('limit exceeded')])
  expect(render().title).toBe('Droid · api-server: done')
  expect(render().problems).toEqual([expect.stringContaining('plain/done.liquid: took too long')])
  writeFileSync(join(configDir, 'templates/plain/done.liquid'), 'now fine')
  expect(render().title).toBe('now fine')
})
