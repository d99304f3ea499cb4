import { describe, expect, it } from 'vitest'
import { NOW, startTestEmulator, type TestEmulator } from '../_support.ts'

const SESSIONS = '/api/v0/sessions'
const off = { organization: { sessionMessages: false } }
const agent = { pendingMs: 1000, stepMs: 1000 }

async function createSession(emulator: TestEmulator, body: object = {}) {
  const answer = await emulator.post(SESSIONS, { computerId: emulator.computerId, ...body })
  return { ...answer, path: `${SESSIONS}/${answer.body.sessionId}/messages` }
}

const statusOf = (emulator: TestEmulator) => emulator.state().sessions.at(-1)?.status

describe('POST /api/v0/sessions', () => {
  it('counts the length of the working directory in characters', async () => {
    const emulator = await startTestEmulator()
    const answer = await createSession(emulator, { cwd: '😀'.repeat(4096) })
    expect(answer.status).toBe(201)
    const longer = await createSession(emulator, { cwd: '😀'.repeat(4097) })
    expect(longer).toMatchObject({ status: 400, body: { detail: expect.stringMatching(/4096/) } })
  })

  it('creates an idle session without messages', async () => {
    const emulator = await startTestEmulator()
    const sessionSettings = { model: 'm', tags: [{ name: 't', metadata: { a: '1' } }] }
    const { status, body } = await createSession(emulator, { cwd: '/work', sessionSettings })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      status: 'idle',
      messageCount: 0,
      createdAt: NOW,
      updatedAt: NOW,
      computerId: emulator.computerId,
      sessionSettings,
    })
    expect(body.sessionSettings.tokenUsage).toMatchObject({ inputTokens: 0, factoryCredits: 0 })
  })

  it('creates a unique ID for every session', async () => {
    const emulator = await startTestEmulator()
    const ids = new Set<string>()
    for (let index = 0; index < 3; index += 1)
      ids.add((await createSession(emulator)).body.sessionId)
    expect(ids.size).toBe(3)
  })

  it('responds with 400 to settings that are read-only', async () => {
    const emulator = await startTestEmulator()
    const answer = await createSession(emulator, { sessionSettings: { tokenUsage: {} } })
    expect(answer.status).toBe(400)
    expect(answer.body.detail).toBe('body.sessionSettings.tokenUsage: unknown property')
  })

  it('responds with 400 for an inactive computer', async () => {
    const emulator = await startTestEmulator()
    const answer = await createSession(emulator, { computerId: 'comp_new' })
    expect(answer.status).toBe(400)
    expect(answer.body.metadata).toEqual({ computerStatus: 'provisioning' })
  })

  it('responds with 403 for the computers of others and with 404 for an unknown ID', async () => {
    const emulator = await startTestEmulator()
    expect((await createSession(emulator, { computerId: 'comp_cleo' })).status).toBe(403)
    expect((await createSession(emulator, { computerId: 'nope' })).status).toBe(404)
  })

  it('responds with 403 when sessions are not enabled', async () => {
    const emulator = await startTestEmulator({ seed: off })
    expect((await createSession(emulator)).status).toBe(403)
  })
})

describe('POST .../messages', () => {
  it('makes the session pending, running, and idle with an answer', async () => {
    const emulator = await startTestEmulator({ seed: { agent } })
    const { path } = await createSession(emulator)
    expect(statusOf(emulator)).toBe('idle')
    const { body } = await emulator.post(path, { text: 'hello' })
    expect(body).toEqual({ messageId: expect.any(String), status: 'pending' })
    emulator.clock.advance(999)
    expect(statusOf(emulator)).toBe('pending')
    emulator.clock.advance(1)
    expect(statusOf(emulator)).toBe('running')
    emulator.clock.advance(2999)
    expect(statusOf(emulator)).toBe('running')
    emulator.clock.advance(1)
    expect(statusOf(emulator)).toBe('idle')
    const { messages } = (await emulator.get(path)).body
    expect(messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(messages[0]).toMatchObject({ id: body.messageId, userMessageSource: 'api' })
    expect(messages.at(-1).content).toMatchObject([{ type: 'text', text: 'Done: hello' }])
    expect(messages.at(-1).createdAt).toBe(NOW + 4000)
  })

  it('adds the messages of the agent one by one', async () => {
    const emulator = await startTestEmulator({ seed: { agent } })
    const { path } = await createSession(emulator)
    await emulator.post(path, { text: 'hello' })
    const counts = []
    for (let step = 0; step < 5; step += 1) {
      counts.push((await emulator.get(path)).body.messages.length)
      emulator.clock.advance(1000)
    }
    expect(counts).toEqual([1, 1, 2, 3, 4])
  })

  it('returns fields with the names of model providers', async () => {
    const names = { firstProvider: 'acme', secondProvider: 'zeta' }
    const emulator = await startTestEmulator({ seed: { agent: { instant: true }, names } })
    const { path } = await createSession(emulator)
    await emulator.post(path, { text: 'hello' })
    const [call, answer] = (await emulator.get(`${path}?role=assistant`)).body.messages
    expect(call.acmePhase).toBe('commentary')
    expect(answer.acmePhase).toBe('final_answer')
    const suffixes = ['MessageId', 'ReasoningId', 'ReasoningSummary', 'EncryptedContent']
    for (const suffix of suffixes) expect(call[`acme${suffix}`]).toEqual(expect.any(String))
    expect(call.zetaThoughtSignature).toEqual(expect.any(String))
  })

  it('returns after the answer of an instant agent', async () => {
    const emulator = await startTestEmulator({ seed: { agent: { instant: true } } })
    const { path } = await createSession(emulator)
    expect((await emulator.post(path, { text: 'hello' })).body.status).toBe('idle')
    expect((await emulator.get(path)).body.messages).toHaveLength(4)
  })

  it('queues a message while the agent works', async () => {
    const emulator = await startTestEmulator({ seed: { agent: { ...agent, tools: [] } } })
    const { path } = await createSession(emulator)
    await emulator.post(path, { text: 'one' })
    emulator.clock.advance(1500)
    expect((await emulator.post(path, { text: 'two' })).body.status).toBe('running')
    emulator.clock.advance(500)
    expect(statusOf(emulator)).toBe('pending')
    emulator.clock.advance(60_000)
    expect(statusOf(emulator)).toBe('idle')
    const { messages } = (await emulator.get(path)).body
    const texts = messages.map(({ content }: { content: { text: string }[] }) => content[0]?.text)
    expect(texts).toEqual(['one', 'two', 'Done: one', 'Done: two'])
    const times = messages.map(({ createdAt }: { createdAt: number }) => createdAt)
    expect(times).toEqual([0, 1500, 2000, 4000].map((after) => NOW + after))
  })

  it('runs the agent script of the seed', async () => {
    const tools = [{ name: 'Execute', input: { command: 'ls' }, result: 'boom', isError: true }]
    const seed = { agent: { instant: true, tools, answer: 'You said {text}, {text}' } }
    const emulator = await startTestEmulator({ seed })
    const { path } = await createSession(emulator)
    await emulator.post(path, { text: '$& {text}' })
    const { messages } = (await emulator.get(path)).body
    expect(messages[1].content[1]).toMatchObject({ type: 'tool_use', name: 'Execute' })
    expect(messages[2]).toMatchObject({ isError: true, content: [{ content: 'boom' }] })
    expect(messages[3].content[0].text).toBe('You said $& {text}, $& {text}')
  })

  it('keeps images and files in the history', async () => {
    const emulator = await startTestEmulator()
    const { path } = await createSession(emulator)
    const images = [{ type: 'base64', data: 'AA==', mediaType: 'image/jpeg' }]
    const files = [{ type: 'base64', data: 'BB==', mediaType: 'application/pdf', name: 'a.pdf' }]
    await emulator.post(path, { text: 'see', images, files })
    const [{ content }] = (await emulator.get(path)).body.messages
    expect(content).toMatchObject([
      { type: 'text', text: 'see' },
      { type: 'image', source: { data: 'AA==', mediaType: 'image/jpeg' } },
      { type: 'document', source: { data: 'BB==', mediaType: 'application/pdf' } },
    ])
  })

  it('responds with 400 to an invalid body, with 403 without access and with 404 for an unknown session', async () => {
    const emulator = await startTestEmulator()
    const { path } = await createSession(emulator)
    expect((await emulator.post(path, {})).body.detail).toContain('body.text')
    expect((await emulator.post(path, { text: 'a', images: [{}] })).body.detail).toContain(
      'body.images[0].type',
    )
    const member = { key: emulator.memberApiKey }
    expect((await emulator.post(path, { text: 'a' }, member)).status).toBe(403)
    expect((await emulator.post(`${SESSIONS}/nope/messages`, { text: 'a' })).status).toBe(404)
    const elsewhere = { text: 'a', computerId: 'comp_deploy' }
    expect((await emulator.post(path, elsewhere)).status).toBe(404)
    const here = { text: 'a', computerId: emulator.computerId }
    expect((await emulator.post(path, here)).status).toBe(200)
  })

  it('responds with 403 when messages are not enabled', async () => {
    const emulator = await startTestEmulator({ seed: off })
    const path = `${SESSIONS}/${emulator.sessionId}/messages`
    const answer = await emulator.post(path, { text: 'a' })
    expect([answer.status, answer.body.title]).toEqual([403, 'Forbidden'])
  })
})
