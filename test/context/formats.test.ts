import { appendFileSync, readdirSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TranscriptFormat } from '../../src/clients/define.ts'
import { clients } from '../../src/clients/index.ts'
import { answeredAt, readTranscript } from '../../src/context/transcript.ts'
import { readers } from '../../src/context/transcripts/index.ts'
import { isFull } from '../support/runs.ts'
import { addSidecars, makeHome, transcriptText } from './_world.ts'

const time = (clock: string) => Date.parse(`2026-11-20T${clock}Z`)
const ended = time('09:14:00.060')

interface Expected {
  title: string
  model: string
  branch: string
  isHeadless: boolean | undefined
  tools: Record<string, number>
  tokens: { input: number; output: number } | undefined
  openTool: string | undefined
  outcome: string
}

/** All transcripts have the same content: a greeting, then a test that is fixed with two commands and one edit. */
const formats: Record<Exclude<TranscriptFormat, 'none'>, Expected> = {
  claude: {
    title: 'Login test',
    model: 'claude-fake',
    branch: 'fix-login',
    isHeadless: false,
    tools: { Bash: 2, Edit: 1 },
    tokens: { input: 480, output: 120 },
    openTool: 'Bash',
    outcome: 'completed',
  },
  codex: {
    title: '',
    model: 'codex-fake',
    branch: 'fix-login',
    isHeadless: true,
    tools: { exec_command: 2, apply_patch: 1 },
    tokens: { input: 480, output: 120 },
    openTool: 'exec_command',
    outcome: 'completed',
  },
  copilot: {
    title: 'Login test',
    model: 'copilot-fake',
    branch: '',
    isHeadless: undefined,
    tools: { bash: 2, edit: 1 },
    tokens: { input: 480, output: 120 },
    openTool: 'bash',
    outcome: '',
  },
  droid: {
    title: 'Login test',
    model: 'custom:fake',
    branch: '',
    isHeadless: true,
    tools: { Execute: 2, Edit: 1 },
    tokens: undefined,
    openTool: 'Execute',
    outcome: 'completed',
  },
  gemini: {
    title: '',
    model: 'gemini-fake',
    branch: '',
    isHeadless: undefined,
    tools: { run_shell_command: 2, replace: 1 },
    tokens: { input: 480, output: 120 },
    // Gemini writes a call together with its result.
    openTool: undefined,
    outcome: '',
  },
  kimi: {
    title: '',
    model: 'kimi-fake',
    branch: '',
    isHeadless: undefined,
    tools: { Bash: 2, Edit: 1 },
    tokens: { input: 480, output: 120 },
    openTool: 'Bash',
    outcome: 'completed',
  },
  qwen: {
    title: 'Login test',
    model: 'qwen-fake',
    branch: '',
    isHeadless: undefined,
    tools: { run_shell_command: 2, edit: 1 },
    tokens: { input: 480, output: 120 },
    openTool: 'run_shell_command',
    outcome: '',
  },
}

it('the suite covers the transcript format of every client', () => {
  const used = Object.values(clients).map(({ transcriptFormat }) => transcriptFormat)
  expect(Object.keys(formats).sort()).toEqual(Object.keys(readers).sort())
  for (const format of used) if (format !== 'none') expect(formats).toHaveProperty(format)
  expect(readdirSync(new URL('../fixtures/transcripts/', import.meta.url))).toEqual(
    expect.arrayContaining(Object.keys(formats).map((format) => `${format}.jsonl`)),
  )
})

describe.each(Object.entries(formats))('a transcript of %s', (name, expected) => {
  const format = name as TranscriptFormat
  const whole = transcriptText(name)
  const lines = whole.trimEnd().split('\n')

  async function read(text: string, moment = ended, as: TranscriptFormat | undefined = format) {
    const { root, path } = makeHome()
    writeFileSync(path, text)
    addSidecars(name, path)
    return readTranscript(path, [root], moment, as)
  }

  /** The transcript up to a time; a line counts with the latest of its timestamps. */
  function until(clock: string): string {
    const first = lines.findIndex((line) =>
      [...line.matchAll(/"timestamp":"([^"]+)"|"time":(\d+)/g)].some(
        ([, at = '', ms]) => Number(ms ?? Date.parse(at)) > time(clock),
      ),
    )
    return `${lines.slice(0, first).join('\n')}\n`
  }

  it('gives the facts of a finished turn', async () => {
    const { tools, openTool: _, ...facts } = expected
    expect(await read(whole)).toMatchObject({
      ...facts,
      lastMessage: 'It is fixed.',
      prompt: 'Fix the login test',
      firstPrompt: 'Say hello',
      promptedAt: time('09:10:00'),
      isLate: false,
      openCalls: [],
      did: { tools, files: ['/srv/app/login.ts'], commands: ['npm test', 'rm -rf build'] },
    })
  })

  it('gives the facts of an earlier turn as they were at that time', async () => {
    expect(await read(whole, time('09:00:30.050'))).toMatchObject({
      lastMessage: 'The first turn is done.',
      prompt: 'Say hello',
      isLate: false,
      did: { tools: {}, files: [], commands: [] },
    })
  })

  it('gives the tool call that was pending at a time, even after it was answered', async () => {
    const asked = time('09:13:00.050')
    const pending = expected.openTool
      ? [{ name: expected.openTool, id: 't3', input: expect.anything() }]
      : []
    expect((await read(until('09:13:00.090'), asked)).openCalls).toMatchObject(pending)
    if (expected.openTool) expect((await read(whole, asked)).openCalls).toMatchObject(pending)
  })

  it('is late while the answer is missing, and never gives the answer of the previous turn', async () => {
    expect(await read(until('09:10:00.500'), time('09:10:01'))).toMatchObject({
      lastMessage: '',
      isLate: true,
    })
    expect(await read(until('09:13:50'))).toMatchObject({
      lastMessage: 'I run the tests first.',
      isLate: true,
    })
  })

  it('shows that a question was answered, but not before the answer', async () => {
    const { root, path } = makeHome()
    writeFileSync(path, until('09:13:00.090'))
    const asked = { at: time('09:13:00.050') }
    const open = { isReadable: true, at: undefined }
    expect(await answeredAt(path, [root], asked, format)).toEqual(open)
    appendFileSync(path, whole.slice(until('09:13:00.090').length))
    const { at } = await answeredAt(path, [root], asked, format)
    expect(at).toBeGreaterThanOrEqual(time('09:13:30'))
    expect(at).toBeLessThanOrEqual(time('09:13:40'))
  })

  it('shows when a question was answered, however much was written since', async () => {
    const { root, path } = makeHome()
    const asked = { at: time('09:13:00.050') }
    writeFileSync(path, whole)
    const answer = await answeredAt(path, [root], asked, format)
    const filler = `${JSON.stringify({ type: 'unknown-note', text: 'x'.repeat(100_000) })}\n`
    appendFileSync(path, filler.repeat(5))
    expect(await answeredAt(path, [root], asked, format)).toEqual(answer)
  })

  it('is read without an incomplete last line', async () => {
    const half = lines.at(-1)?.slice(0, 40) ?? ''
    expect(await read(`${whole}${half}`)).toMatchObject({ lastMessage: 'It is fixed.' })
  })

  it('is recognised if the client is not known', async () => {
    const { root, path } = makeHome()
    writeFileSync(path, whole)
    expect(await readTranscript(path, [root], ended)).toMatchObject({ lastMessage: 'It is fixed.' })
  })

  it('gives the facts of its beginning even if it is long', async () => {
    const filler = `${JSON.stringify({ type: 'unknown-note', text: 'x'.repeat(100_000) })}\n`
    const at = whole.indexOf(lines.find((line) => line.includes('Fix the login test')) ?? '')
    const long = whole.slice(0, at) + filler.repeat(5) + whole.slice(at)
    expect(await read(long)).toMatchObject({
      firstPrompt: 'Say hello',
      lastMessage: 'It is fixed.',
      model: expected.model,
      isHeadless: expected.isHeadless,
    })
  })

  it('never causes an error, however damaged it is', async () => {
    const { root, path } = makeHome()
    const damage = fc.oneof(
      fc.record({
        from: fc.nat(whole.length),
        length: fc.nat(400),
        by: fc.string({ maxLength: 40 }),
      }),
      fc.record({
        from: fc.nat(whole.length),
        length: fc.constant(0),
        by: fc.constantFrom('\n', 'null', '[]', '{}', '"', '{"__proto__":{"x":1}}\n', '\0'),
      }),
    )
    const shuffled = fc.shuffledSubarray(lines).map((some) => some.join('\n'))
    const damaged = fc
      .array(damage, { minLength: 1, maxLength: 6 })
      .map((all) =>
        all.reduce(
          (text, { from, length, by }) => text.slice(0, from) + by + text.slice(from + length),
          whole,
        ),
      )
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, shuffled), async (text) => {
        writeFileSync(path, text)
        const facts = await readTranscript(path, [root], ended, format)
        expect(typeof facts.lastMessage).toBe('string')
        const { at = ended } = await answeredAt(path, [root], { at: ended }, format)
        expect(at).toBeGreaterThanOrEqual(ended)
      }),
      { numRuns: isFull ? 5000 : 40 },
    )
  })

  it('never causes an error if its fields have unexpected types', async () => {
    const { root, path } = makeHome()
    const odd = fc.jsonValue({ maxDepth: 3 })
    const record = fc.record(
      {
        type: fc.constantFrom(...new Set(lines.map((line) => String(JSON.parse(line).type)))),
        message: odd,
        payload: odd,
        data: odd,
        content: odd,
        timestamp: fc.oneof(odd, fc.constant('2026-11-20T09:10:00Z')),
        toolCalls: odd,
        $set: odd,
      },
      { requiredKeys: ['type'] },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 8 }), async (records) => {
        writeFileSync(path, records.map((one) => JSON.stringify(one)).join('\n'))
        const facts = await readTranscript(path, [root], ended, format)
        expect(typeof facts.prompt).toBe('string')
      }),
      { numRuns: isFull ? 5000 : 40 },
    )
  })
})

describe('a transcript', () => {
  // With a square of the length, it would take many minutes.
  it('is read to its end when a prompt has many thousand tags', async () => {
    const { root, path } = makeHome()
    const prompt = {
      type: 'user',
      timestamp: '2026-11-20T09:10:00.000Z',
      message: { role: 'user', content: '<system-reminder>'.repeat(200_000) },
    }
    writeFileSync(path, `${JSON.stringify(prompt)}\n`)
    const facts = await readTranscript(path, [root], ended, 'claude')
    expect(facts.prompt).toHaveLength(64 * 1024)
  })

  it('counts everything that was done in a long turn', async () => {
    const { root, path } = makeHome()
    const line = (role: string, content: unknown) =>
      JSON.stringify({
        type: role,
        timestamp: '2026-11-20T09:10:00.000Z',
        message: { role, content },
      })
    const call = (n: number) =>
      line('assistant', [
        { type: 'tool_use', id: `c${n}`, name: 'Bash', input: { command: `make ${n}` } },
        { type: 'tool_use', id: `w${n}`, name: 'Write', input: { file_path: `/srv/${n}` } },
        { type: 'tool_use', id: `m${n}`, name: `mcp__${n}`, input: {} },
      ])
    writeFileSync(
      path,
      [line('user', 'go'), ...Array.from({ length: 130 }, (_, n) => call(n))].join('\n'),
    )
    const { did } = await readTranscript(path, [root], ended, 'claude')
    expect([did.commands.length, did.files.length]).toEqual([130, 130])
    expect(did.tools).toMatchObject({ Bash: 130, Write: 130, mcp__129: 1 })
  })

  it('gives the first prompt that has text', async () => {
    const { root, path } = makeHome()
    const line = (content: unknown) =>
      JSON.stringify({ type: 'user', turnOrigin: 'human', message: { role: 'user', content } })
    writeFileSync(path, [line([{ type: 'image' }]), line('Fix it'), line('Go on')].join('\n'))
    expect((await readTranscript(path, [root], ended, 'claude')).firstPrompt).toBe('Fix it')
  })

  it('gives the last title of a session, even if it is long', async () => {
    const { root, path } = makeHome()
    const titled = (customTitle: string) => JSON.stringify({ type: 'custom-title', customTitle })
    const filler = JSON.stringify({ type: 'note', text: 'x'.repeat(5 * 1024 * 1024) })
    writeFileSync(path, [titled('first'), filler, titled('last'), ''].join('\n'))
    expect((await readTranscript(path, [root], ended, 'claude')).title).toBe('last')
    writeFileSync(path, [titled('first'), filler, '{}', ''].join('\n'))
    expect((await readTranscript(path, [root], ended, 'claude')).title).toBe('first')
  })

  it('gives well-formed text and short names', async () => {
    const { root, path } = makeHome()
    const lines = [
      { type: 'custom-title', customTitle: `a\u001b[31m\ud800${'b'.repeat(5000)}` },
      {
        type: 'user',
        timestamp: '2026-11-20T09:10:00.000Z',
        message: { role: 'user', content: 'half \ud83d' },
      },
    ]
    writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'))
    const { title, prompt } = await readTranscript(path, [root], ended, 'claude')
    expect([title, prompt].every((text) => text.isWellFormed())).toBe(true)
    expect(title.length).toBeLessThanOrEqual(200)
    expect(title).not.toContain('\u001b')
  })
})

describe('a transcript of gemini', () => {
  const message = (id: string, type: string, content: unknown) => ({
    id,
    timestamp: '2026-11-20T09:10:00.000Z',
    type,
    content,
  })

  const used = {
    tokens: { input: 10, output: 5 },
    toolCalls: [{ id: 't1', name: 'ls', args: {}, status: 'success' }],
  }

  async function read(records: unknown[]) {
    const { root, path } = makeHome()
    writeFileSync(path, records.map((one) => JSON.stringify(one)).join('\n'))
    return readTranscript(path, [root], ended, 'gemini')
  }

  it('has only the messages of the last line that replaces all of them', async () => {
    const records = [
      message('a', 'user', [{ text: 'first' }]),
      message('b', 'gemini', 'gone'),
      { $set: { messages: [message('c', 'user', [{ text: 'second' }])] } },
    ]
    expect(await read(records)).toMatchObject({
      prompt: 'second',
      firstPrompt: 'second',
      lastMessage: '',
    })
  })

  it('counts a message once if it is written several times', async () => {
    const records = [
      message('a', 'user', [{ text: 'go' }]),
      { ...message('b', 'gemini', ''), ...used },
      { ...message('b', 'gemini', 'done'), ...used },
    ]
    expect(await read(records)).toMatchObject({
      lastMessage: 'done',
      tokens: { input: 10, output: 5 },
      did: { tools: { ls: 1 } },
    })
  })

  it('counts messages without an id separately', async () => {
    const records = [
      message('', 'user', [{ text: 'go' }]),
      { ...message('', 'gemini', ''), ...used },
      { ...message('', 'gemini', 'done'), ...used },
    ]
    expect(await read(records)).toMatchObject({
      prompt: 'go',
      tokens: { input: 20, output: 10 },
      did: { tools: { ls: 2 } },
    })
  })
})

describe('the outcome of a turn', () => {
  it.each([
    ['error', 'failed'],
    ['llm_failure', 'failed'],
    ['cancelled', 'interrupted'],
    ['user_interrupt', 'interrupted'],
    ['completed', 'completed'],
    ['who_knows', ''],
  ])('is read from a droid transcript: %s is %s', async (reason, outcome) => {
    const { root, path } = makeHome()
    const text = transcriptText('droid')
    writeFileSync(
      path,
      text.replace(/"reason":"completed"(?![\s\S]*"reason":"completed")/, `"reason":"${reason}"`),
    )
    expect((await readTranscript(path, [root], ended, 'droid')).outcome).toBe(outcome)
  })

  it('is read from the note about an interruption in a claude transcript, which is not a prompt', async () => {
    const { root, path } = makeHome()
    const stopped = {
      type: 'user',
      timestamp: '2026-11-20T09:14:00.030Z',
      message: { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] },
    }
    const text = transcriptText('claude').split('\n').slice(0, -2).join('\n')
    writeFileSync(path, `${text}\n${JSON.stringify(stopped)}\n`)
    expect(await readTranscript(path, [root], ended, 'claude')).toMatchObject({
      prompt: 'Fix the login test',
      outcome: 'interrupted',
    })
  })
})
