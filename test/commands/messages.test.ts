import { describe, expect, it } from 'vitest'
import type { SeedInput } from '../../src/emulator/index.ts'
import { makeApiHome } from './_api-home.ts'

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
      { type: 'hologram' },
    ],
  },
  {
    ...text('user', 'Hook Stop ran', at + 4000),
    hookEventName: 'Stop',
    hookStatus: 'completed',
    hookResults: [{ exitCode: 0 }],
  },
  { ...text('user', 'for the model', at + 5000), visibility: 'llm_only' },
]

describe('messages', () => {
  it('prints a conversation that a person can read', async () => {
    const { run } = await makeApiHome({ seed: seedWith(conversation) })
    const { stdout, exitCode } = await run('messages', 's1')
    expect(exitCode).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
      "user  2026-06-15 12:00:00Z
        Please run the tests.
        All of them.

      assistant  2026-06-15 12:00:01Z  model-1
        (thought about it)
        > Execute {"command":"npm test xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…

      tool  2026-06-15 12:00:02Z
        < failed: 2 failed bye

      assistant  2026-06-15 12:00:03Z
        Two tests fail.
        [image]
        [hologram]

      user  2026-06-15 12:00:04Z
        Hook Stop ran
        hook Stop completed exit 0"
    `)
  })

  it('shows what is for the model only if asked', async () => {
    const { run } = await makeApiHome({ seed: seedWith(conversation) })
    expect((await run('messages', 's1')).stdout).not.toContain('for the model')
    expect((await run('messages', 's1', '--all')).stdout).toContain('for the model')
  })

  it('goes through all pages, and sorts whatever the order of the service is', async () => {
    const many = Array.from({ length: 230 }, (_, index) => text('user', `n${index}`, at - index))
    const { run, emulator } = await makeApiHome({ seed: seedWith(many) })
    const { stdout } = await run('messages', 's1', '--json')
    const texts = JSON.parse(stdout).map(
      ({ content }: { content: [{ text: string }] }) => content[0].text,
    )
    expect(texts).toEqual(many.map((_, index) => `n${229 - index}`))
    expect(emulator.requests()).toHaveLength(3)
  })

  it('shows the last ones', async () => {
    const { run } = await makeApiHome({ seed: seedWith(conversation) })
    const { stdout } = await run('messages', 's1', '--limit', '1')
    expect(stdout).toMatch(/^\(4 before\)\n\nuser .*\n {2}Hook Stop ran/)
  })

  it('shows no control characters', async () => {
    const evil = '\u001b]0;title\u0007 \u009b2J \u202e left \u001b[31mred'
    const seed = seedWith([
      text('user', evil),
      {
        role: `tool${evil}`,
        modelId: evil,
        content: [
          { type: 'tool_use', name: evil, input: { evil } },
          { type: 'tool_result', content: evil },
          { type: evil },
        ],
      },
    ])
    const { run } = await makeApiHome({ seed })
    const { stdout } = await run('messages', 's1')
    expect(stdout).toContain('left')
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
  })

  it.each([
    [['messages'], 64, 'missing required positional argument: SESSION'],
    [['messages', 's1', '--limit', '-1'], 64, '--limit takes a whole number from 1, not "-1"'],
    [['messages', 'nope'], 65, '404 Not Found: No session "nope"'],
  ])('%j exits %i', async (words, code, message) => {
    const { run } = await makeApiHome({ seed: seedWith([]) })
    const { exitCode, stderr } = await run(...words)
    expect(stderr).toContain(message)
    expect(exitCode).toBe(code)
  })

  it('says that there are none', async () => {
    const { run } = await makeApiHome({ seed: seedWith([]) })
    expect((await run('messages', 's1')).stdout).toBe('No messages yet')
  })
})
