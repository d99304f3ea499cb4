import { describe, expect, it } from 'vitest'
import { createClient, fieldOf, type Message, textOf } from '../../src/api/index.ts'
import type { SeedInput } from '../../src/emulator/index.ts'
import { startTestEmulator } from './_support.ts'

type Agent = NonNullable<SeedInput['agent']>

/** Two sessions, an agent with this script, and a client whose time is that of the emulator. */
async function start(agent: Agent) {
  const computers = [{ id: 'box', name: 'box', ownerId: 'user_ada' }]
  const sessions = ['a', 'b'].map((id) => ({ id, computerId: 'box' }))
  const emulator = await startTestEmulator({ seed: { computers, sessions, agent } })
  const client = createClient(emulator.clientOptions)
  const { messages } = client.sessions
  const add = (sessionId: string, text: string) => messages.add({ sessionId, text })
  const history = (sessionId: string) => messages.list({ sessionId }).toArray()
  const statusOf = (sessionId: string) =>
    emulator.state().sessions.find(({ id }) => id === sessionId)?.status
  return { emulator, messages, add, history, statusOf }
}

const said = (messages: readonly Message[]) => messages.map((one) => `${one.role}: ${textOf(one)}`)

describe('a scripted agent', () => {
  it('does what the first rule says that fits session, text and number of a message', async () => {
    const { emulator, add, history } = await start([
      { when: { session: 'b' }, answer: 'I am b' },
      { when: { text: 'DEPLOY' }, answer: 'Deployed' },
      { when: { message: 2 }, answer: 'The second one' },
      { answer: 'Anything: {text}' },
    ])
    for (const text of ['Please deploy', 'go on', 'go on']) await add('a', text)
    await add('b', 'Please deploy')
    emulator.clock.advance(60_000)
    const answers = async (id: string) =>
      said((await history(id)).filter(({ role }) => role !== 'user'))
    expect(await answers('a')).toEqual([
      'assistant: Deployed',
      'assistant: The second one',
      'assistant: Anything: go on',
    ])
    expect(await answers('b')).toEqual(['assistant: I am b'])
  })

  it('takes the time that a rule says, in each session at the same time', async () => {
    const { emulator, add, history, statusOf } = await start([
      { when: { session: 'a' }, afterMs: 60_000, tools: [{ name: 'Build', result: 'ok' }] },
      { afterMs: 1000, answer: 'Quick' },
    ])
    await Promise.all([add('a', 'slow'), add('b', 'quick')])
    emulator.clock.advance(1000)
    expect([statusOf('a'), statusOf('b')]).toEqual(['running', 'idle'])
    emulator.clock.advance(58_999)
    expect(await history('a')).toHaveLength(3)
    emulator.clock.advance(1)
    expect(statusOf('a')).toBe('idle')
    expect(said(await history('a')).at(-1)).toBe('assistant: Done: slow')
  })

  it('may fail, which addAndWait returns as an answer with an error', async () => {
    const { messages } = await start({ instant: true, script: [{ fail: 'Out of credits' }] })
    const [answer] = await messages.addAndWait({ sessionId: 'a', text: 'go' })
    expect(answer).toMatchObject({ isError: true })
    expect(textOf(answer)).toBe('Out of credits')
  })

  it('may hang, so that addAndWait runs out of time', async () => {
    const { messages, statusOf } = await start({ instant: true, script: [{ hang: true }] })
    const waiting = messages.addAndWait(
      { sessionId: 'a', text: 'go' },
      { deadlineMs: 500, pollMs: 50 },
    )
    await expect(waiting).rejects.toMatchObject({ kind: 'timeout' })
    expect(statusOf('a')).toBe('running')
  })

  it('may ask, and goes on with the next message as the answer', async () => {
    const script = [{ when: { message: 1 }, ask: 'Which branch?' }, { answer: 'Pushed to {text}' }]
    const { messages, add, history, statusOf } = await start({ instant: true, script })
    await add('a', 'push it')
    const [, question] = await history('a')
    const call = question?.content.find(({ type }) => type === 'tool_use')
    expect(call).toMatchObject({ name: 'AskUser', input: { question: 'Which branch?' } })
    expect(statusOf('a')).toBe('running')
    const answers = await messages.addAndWait({ sessionId: 'a', text: 'main' })
    expect(said(answers)).toEqual(['assistant: Pushed to main'])
    const result = (await history('a')).find(({ role }) => role === 'tool')
    expect(result?.content).toMatchObject([{ toolUseId: fieldOf(call, 'id'), content: 'main' }])
    expect(statusOf('a')).toBe('idle')
  })

  it.each([
    [[{ answer: 'a', hang: true }], /agent\.script\[0\]: has more than one of answer, ask, fail/],
    [{ script: [{ wen: {} }] }, /agent\.script\[0\]\.wen: is an unknown field/],
  ])('with a mistake is refused: %j', async (agent, message) => {
    await expect(startTestEmulator({ seed: { agent: agent as Agent } })).rejects.toThrow(message)
  })
})
