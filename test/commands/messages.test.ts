import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/api/index.ts'
import type { EmulatorOptions, SeedInput } from '../../src/emulator/index.ts'
import { root } from '../support/home.ts'
import { hasTerminal, runInTerminal } from '../support/terminal.ts'
import { makeApiHome, makeFault } from './_api-home.ts'

type Messages = NonNullable<NonNullable<SeedInput['sessions']>[number]['messages']>

const at = Date.UTC(2026, 5, 15, 12)

function seedWith(messages: Messages): SeedInput {
  return { sessions: [{ id: 's1', computerId: 'comp_ada', messages }] }
}

const text = (role: string, words: string, createdAt = at) => ({
  role,
  createdAt,
  content: [{ type: 'text' as const, text: words }],
})

const conversation: Messages = [
  text('user', 'Please run the tests.\nAll of them.'),
  {
    role: 'assistant',
    createdAt: at + 1000,
    modelId: 'model-1',
    content: [
      { type: 'thinking', thinking: 'Which ones?', signature: 'x' },
      {
        type: 'tool_use',
        id: 't1',
        name: 'Execute',
        input: { command: `npm test ${'x'.repeat(99)}` },
      },
    ],
  },
  {
    role: 'tool',
    createdAt: at + 2000,
    content: [
      {
        type: 'tool_result',
        toolUseId: 't1',
        content: [{ type: 'text', text: '2 failed\nbye' }],
        isError: true,
      },
    ],
  },
  {
    role: 'assistant',
    createdAt: at + 3000,
    content: [
      { type: 'text', text: 'Two tests fail.' },
      { type: 'image', source: {} },
      { type: 'image', source: { mediaType: 'image/png', data: 'AAAA'.repeat(1000) } },
      { type: 'document', name: 'plan.pdf', source: { mediaType: 'application/pdf' } },
      { type: 'hologram' },
    ],
  },
  {
    ...text('user', 'Hook Stop ran', at + 4000),
    hookEventName: 'Stop',
    hookStatus: 'completed',
    hookResults: [{ exitCode: 0 }, { exitCode: 2, stderr: 'no\nroom' }],
  },
  {
    ...text('assistant', 'The model did not answer.', at + 4500),
    isError: true,
  },
  { ...text('user', 'for the model', at + 5000), visibility: 'llm_only' },
]

describe('messages', () => {
  it('prints a readable conversation', async () => {
    const { run } = await makeApiHome({ seed: seedWith(conversation) })
    const { stdout, exitCode } = await run('messages', 's1')
    expect(exitCode).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
      "user  2026-06-15 12:00:00Z
        Please run the tests.
        All of them.

      assistant  2026-06-15 12:00:01Z  model-1
        (thinking) Which ones?
        > Execute npm test xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
        < failed: 2 failed bye

      assistant  2026-06-15 12:00:03Z
        Two tests fail.
        [image]
        [image: image/png, 3 KiB]
        [document plan.pdf: application/pdf]
        [hologram]

      user  2026-06-15 12:00:04Z
        Hook Stop ran
        hook Stop completed exit 0 exit 2 no room

      assistant  2026-06-15 12:00:04Z  failed
        The model did not answer."
    `)
  })

  it('hides messages for the model unless --all is given', async () => {
    const { run } = await makeApiHome({ seed: seedWith(conversation) })
    const { stdout, stderr } = await run('messages', 's1')
    expect(stdout).not.toContain('for the model')
    expect(stderr).toBe('1 more for the model only: --all')
    const all = await run('messages', 's1', '--all')
    expect(all.stdout).toContain('for the model')
    expect(all.stderr).toBe('')
  })

  it('reads all pages and sorts the messages by time', async () => {
    const many = Array.from({ length: 230 }, (_, index) => text('user', `n${index}`, at - index))
    const { run, emulator } = await makeApiHome({ seed: seedWith(many) })
    const { stdout } = await run('messages', 's1', '--json')
    const texts = JSON.parse(stdout).map(
      ({ content }: { content: [{ text: string }] }) => content[0].text,
    )
    expect(texts).toEqual(many.map((_, index) => `n${229 - index}`))
    expect(emulator.requests()).toHaveLength(3)
  })

  it('shows the last messages with --limit', async () => {
    const { run } = await makeApiHome({ seed: seedWith(conversation) })
    const { stdout } = await run('messages', 's1', '--limit', '1')
    expect(stdout).toMatch(
      /^\(5 earlier messages not shown\)\n\nassistant .* failed\n {2}The model/,
    )
  })

  it('removes control characters', async () => {
    const evil = '\u001b]0;title\u0007 \u009b2J \u202e left \u001b[31mred'
    const seed = seedWith([
      text('user', evil),
      {
        role: `tool${evil}`,
        modelId: evil,
        content: [
          { type: 'tool_use', id: 't', name: evil, input: { evil } },
          { type: 'tool_result', toolUseId: 't', content: evil },
          { type: evil },
        ],
      },
    ])
    const { run } = await makeApiHome({ seed })
    const { stdout } = await run('messages', 's1')
    expect(stdout).toContain('left')
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
  })

  it('prints one header for consecutive messages of the same model', async () => {
    const said = (words: string, modelId: string, createdAt: number) => ({
      ...text('assistant', words, createdAt),
      modelId,
    })
    const call = {
      type: 'tool_use' as const,
      id: 't',
      name: 'Edit',
      input: { path: 'a.ts', old: 1 },
    }
    const result = { type: 'tool_result' as const, toolUseId: 't', content: 'done' }
    const seed = seedWith([
      said('First I look.', 'm1', at),
      { role: 'assistant', modelId: 'm1', createdAt: at + 1, content: [call] },
      { role: 'tool', createdAt: at + 2, content: [result], isError: true },
      said('Now it is done.', 'm1', at + 3),
      said('I am another.', 'm2', at + 4),
    ])
    const { run } = await makeApiHome({ seed })
    expect((await run('messages', 's1')).stdout).toMatchInlineSnapshot(`
      "assistant  2026-06-15 12:00:00Z  m1
        First I look.

        > Edit path: a.ts, old: 1
        < failed: done

        Now it is done.

      assistant  2026-06-15 12:00:00Z  m2
        I am another."
    `)
  })

  it('prints malformed messages without failing', async () => {
    const odd = [
      { id: 'a', role: 'user', content: 'plain', createdAt: 1 },
      { id: 'b' },
      null,
      {
        role: 5,
        modelId: {},
        createdAt: 'today',
        content: [null, 'x', { type: 5 }, { type: 'text', text: 7 }, { type: 'tool_result' }],
        hookEventName: 6,
        hookStatus: [],
        hookResults: [null, { exitCode: 'x' }],
      },
    ]
    const body = { messages: odd, pagination: { hasMore: false } }
    const { run } = await makeApiHome({ faults: [makeFault({ status: 200, body })] })
    const { stdout, stderr, exitCode } = await run('messages', 's1')
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
    expect(stdout).toMatchInlineSnapshot(`
      "?  ?
        (nothing)

      ?  ?
        (nothing)

      5  ?  {}
        [something]
        [something]
        [5]
        7
        < (nothing)
        hook 6 [] exit unknown exit x

      user  1970-01-01 00:00:00Z
        plain"
    `)
    const { stdout: json } = await run('messages', 's1', '--json')
    expect(JSON.parse(json)).toHaveLength(4)
  })

  it.runIf(hasTerminal)('wraps lines between words and uses colours in a terminal', async () => {
    const long = `${'many words '.repeat(12)}\n    ${'indented '.repeat(12)}`
    const call = { type: 'tool_use' as const, id: 't', name: 'Execute', input: 'x '.repeat(99) }
    const { env } = await makeApiHome({
      seed: seedWith([
        text('user', long),
        { role: 'assistant', createdAt: at + 1, content: [call] },
      ]),
    })
    const shown = await runInTerminal({ env, columns: 40 }, 'messages', 's1')
    expect(shown.text).toContain('\u001b[')
    const lines = stripVTControlCharacters(shown.text).split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40)
    expect(lines.filter((line) => /^ {6}indented/.test(line)).length).toBeGreaterThan(2)
    const plain = await runInTerminal({ env: { ...env, NO_COLOR: '1' } }, 'messages', 's1')
    expect(plain.text).not.toContain('\u001b')
  })

  it.each([
    [['messages', ''], 64, 'messages: the session ID is empty'],
    [['messages', 's1', '--limit', '0'], 64, '--limit takes a whole number from 1, not "0"'],
    [['messages'], 64, 'messages: SESSION is missing'],
    [['messages', 's1', '--limit', '-1'], 64, '--limit takes a whole number from 1, not "-1"'],
    [['messages', 'nope'], 65, '404 Not Found: No session "nope"'],
  ])('%j exits with %i', async (words, code, message) => {
    const { run } = await makeApiHome({ seed: seedWith([]) })
    const { exitCode, stderr } = await run(...words)
    expect(stderr).toContain(message)
    expect(exitCode).toBe(code)
  })

  it('reports a session without messages', async () => {
    const { run } = await makeApiHome({ seed: seedWith([]) })
    expect((await run('messages', 's1')).stdout).toBe('No messages yet')
  })
})

describe('messages --follow', () => {
  async function follow(options: EmulatorOptions, ...more: string[]) {
    const { emulator, env, project } = await makeApiHome(options)
    const words = ['messages', emulator.sessionId, '--follow', ...more]
    const child = execa(process.execPath, [join(root, 'bin/hookbell'), ...words], {
      cwd: project,
      env,
      extendEnv: false,
      reject: false,
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    let shown = ''
    child.stdout.on('data', (chunk) => {
      shown += String(chunk)
    })
    const client = createClient(emulator.clientOptions)
    onTestFinished(() => client.close())
    const { sessionId } = emulator
    const add = (words: string) => client.sessions.messages.add({ sessionId, text: words })
    return { emulator, shown: () => shown, add }
  }

  it('prints new messages', async () => {
    const seed: SeedInput = { agent: { instant: true } }
    const { shown, add } = await follow({ seed }, '--limit', '1')
    await expect.poll(shown).toContain('user')
    await add('and then?')
    await expect.poll(shown).toMatch(/and then\?[\s\S]*Done: and then\?/)
  })

  it('prints the first message of a session, however early it comes', async () => {
    const unlistable = makeFault({ status: 503 }, { endpoint: 'sessions.messages.list', skip: 1 })
    const { emulator, shown, add } = await follow({ seed: seedWith([]), faults: [unlistable] })
    await expect.poll(shown).toContain('No messages yet')
    await expect.poll(() => emulator.requests().length).toBeGreaterThan(1)
    // The history has been read, and the first poll for new messages has not succeeded yet.
    await add('the first')
    emulator.faults.clear()
    await expect.poll(shown).toContain('the first')
  })
})
