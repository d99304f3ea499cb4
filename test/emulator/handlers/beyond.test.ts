import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient, HttpError, textOf } from '../../../src/api/index.ts'
import type { SeedInput } from '../../../src/emulator/index.ts'
import { startTestEmulator } from '../_support.ts'

/** A client of an emulator, and the emulator. */
async function start(seed: SeedInput = {}, key?: string) {
  const emulator = await startTestEmulator({ seed })
  const apiKey = key ?? emulator.apiKey
  const client = createClient({ ...emulator.clientOptions, apiKey, strict: true, retries: 0 })
  onTestFinished(() => client.close())
  return { ...client, emulator }
}

const statusOf = (call: PromiseLike<unknown>) =>
  call.then(
    () => 'none',
    (error: unknown) => (error instanceof HttpError ? error.status : error),
  )

const sessionId = 'sess_welcome'
const manager = 'fk-emulator-manager-84a0e7'
const member = 'fk-emulator-member-c95b32'

describe('the list of sessions', () => {
  const sessions = ['one', 'two', 'three'].map((id) => ({ id, computerId: 'comp_ada' }))
  const idsOf = (list: { sessionId: string }[]) => list.map((session) => session.sessionId)

  it('has the last created first, in pages', async () => {
    const { beyond, ...client } = await start({ sessions })
    const { sessionId: fourth } = await client.sessions.create({ computerId: 'comp_ada' })
    const expected = [fourth, 'three', 'two', 'one']
    expect(idsOf(await beyond.sessions.list().toArray())).toEqual(expected)
    expect(idsOf(await beyond.sessions.list({ limit: 1 }).toArray())).toEqual(expected)
    expect(await statusOf(beyond.sessions.list({ cursor: 'none' }))).toBe(400)
  })

  it('has those of one computer, and none of another user', async () => {
    const other = { id: 'other', computerId: 'comp_deploy' }
    const seed = { sessions: [...sessions, other] }
    const { beyond } = await start(seed)
    expect(idsOf(await beyond.sessions.list({ computerId: 'comp_deploy' }).toArray())).toEqual([
      'other',
    ])
    const { beyond: ofMember } = await start(seed, member)
    expect(await ofMember.sessions.list().toArray()).toEqual([])
  })
})

describe('a session', () => {
  it('tells its state, and is archived by an update of its settings', async () => {
    const { beyond, ...client } = await start({ agent: { pendingMs: 1000 } })
    await client.sessions.messages.add({ sessionId, text: 'hi' })
    expect(await beyond.sessions.get({ sessionId })).toMatchObject({ sessionId, status: 'pending' })
    const archivedAt = '2026-06-01T00:00:00.000Z'
    await beyond.sessions.update({ sessionId, sessionSettings: { archivedAt } })
    const { sessionSettings } = await beyond.sessions.get({ sessionId })
    expect(sessionSettings).toMatchObject({ archivedAt })
    expect(await statusOf(client.sessions.messages.add({ sessionId, text: 'hi' }))).toBe(409)
  })

  it('is idle after an interruption of an agent that hangs, and answers again', async () => {
    const agent = [{ when: { text: 'forever' }, hang: true as const }, { answer: 'Here' }]
    const { beyond, emulator, ...client } = await start({ agent })
    await client.sessions.messages.add({ sessionId, text: 'forever' })
    emulator.clock.advance(60_000)
    expect((await beyond.sessions.get({ sessionId })).status).toBe('running')
    expect(await beyond.sessions.interrupt({ sessionId })).toEqual({ status: 'idle' })
    expect(await beyond.sessions.interrupt({ sessionId })).toEqual({ status: 'idle' })
    const { messageId } = await client.sessions.messages.add({ sessionId, text: 'again' })
    emulator.clock.advance(60_000)
    const [last] = (await client.sessions.messages.list({ sessionId }).toArray()).reverse()
    expect(textOf(last)).toBe('Here')
    expect(textOf(await beyond.sessions.message({ sessionId, messageId }))).toBe('again')
  })

  it('is gone after its deletion', async () => {
    const { beyond } = await start()
    await beyond.sessions.delete({ sessionId })
    expect(await statusOf(beyond.sessions.get({ sessionId }))).toBe(404)
    expect(await statusOf(beyond.sessions.delete({ sessionId }))).toBe(404)
  })

  it('of another user can be neither read, interrupted nor deleted', async () => {
    const { beyond } = await start({}, member)
    const { get, interrupt, delete: remove, message } = beyond.sessions
    for (const call of [get, interrupt, remove])
      expect(await statusOf(call({ sessionId }))).toBe(403)
    expect(await statusOf(message({ sessionId, messageId: 'sess_welcome_message_1' }))).toBe(403)
  })
})

describe('computers', () => {
  it('are listed newest first, with steps if asked for', async () => {
    const computers = [1, 3, 2].map((at) => ({
      id: `comp_${at}`,
      name: `box-${at}`,
      ownerId: 'user_ada',
      createdAt: at,
      provisioningSteps: [{ id: 'one' }],
    }))
    const { beyond, ...client } = await start({ computers, sessions: [] })
    const { computers: found } = await beyond.computers.list()
    expect(found.map(({ id }) => id)).toEqual(['comp_3', 'comp_2', 'comp_1'])
    expect(found[0]).not.toHaveProperty('provisioningSteps')
    await client.computers.delete({ computerId: 'comp_3' })
    const steps = await beyond.computers.list({ includeProvisioningSteps: 'true' })
    expect(steps.computers.map(({ provisioningSteps }) => provisioningSteps?.length)).toEqual([
      1, 1,
    ])
  })

  it('are listed by their host, and only for who may use them', async () => {
    const { beyond } = await start()
    const hostId = '6f1f64a2-6d38-4c43-9a53-0d7a4f7e3b10'
    const namesOf = ({ computers }: { computers: { name: string }[] }) =>
      computers.map(({ name }) => name)
    expect(namesOf(await beyond.computers.list({ hostId }))).toEqual(['ada-devbox'])
    const { beyond: ofMember } = await start({}, member)
    expect(namesOf(await ofMember.computers.list())).toEqual(['cleo-laptop'])
  })

  it('are restarted only if they are managed', async () => {
    const { beyond } = await start()
    expect(await beyond.computers.restart({ computerId: 'comp_deploy' })).toEqual({})
    expect(await statusOf(beyond.computers.restart({ computerId: 'comp_ada' }))).toBe(400)
  })
})

describe('users', () => {
  it('are listed in pages, for managers alone', async () => {
    const { beyond, emulator } = await start()
    const emails = (await beyond.users.list({ limit: 4 }).toArray()).map(({ email }) => email)
    expect(emails).toEqual(emulator.state().members.map(({ email }) => email))
    const { beyond: ofMember } = await start({}, member)
    expect(await statusOf(ofMember.users.list())).toBe(403)
    expect(await statusOf(ofMember.users.invite({ email: 'hal@example.com' }))).toBe(403)
    expect(await statusOf(ofMember.users.limits())).toBe(403)
  })

  it.each([
    [{ email: 'hal@example.com' }, 'user', 'invited'],
    [{ email: 'GIA@example.com', role: 'manager' as const }, 'manager', 'already_invited'],
    [{ email: 'ada@example.com' }, 'owner', 'already_member'],
    [{ email: 'cleo@example.com', role: 'user' as const }, 'user', 'already_member'],
    [{ email: 'cleo@example.com', role: 'manager' as const }, 'manager', 'role_updated'],
    [{ email: 'ada@example.com', role: 'user' as const }, 'owner', 'error'],
  ])('are invited or get another role: %j', async (input, role, status) => {
    const { beyond, emulator } = await start()
    expect(await beyond.users.invite(input)).toMatchObject({ email: input.email, role, status })
    const { members, invitations } = emulator.state()
    const found = members.find(({ email }) => email === input.email)
    expect(found?.role ?? role).toBe(role)
    expect(
      invitations.filter((one) => one.toLowerCase() === input.email.toLowerCase()),
    ).toHaveLength(found ? 0 : 1)
  })

  it('with limits of their own are listed', async () => {
    const { beyond, ...client } = await start()
    const limit = 2_000_000
    await client.organization.limits.setUsers({ users: [{ email: 'bo@example.com', limit }] })
    const userLimits = [{ email: 'bo@example.com', limit }]
    expect(await beyond.users.limits()).toEqual({ globalLimit: null, userLimits })
  })
})

describe('keys of a service account', () => {
  const account = { serviceAccountId: 'sa_deploy' }
  const key = { ...account, keyId: 'key_deploy_1' }

  it('are listed without their values, and stop working once revoked', async () => {
    const { beyond, emulator } = await start({}, manager)
    const { serviceAccountKey: apiKey } = emulator
    await using ofAccount = createClient({ ...emulator.clientOptions, apiKey })
    expect(await statusOf(ofAccount.automations.ci.scan())).toBe('none')
    await beyond.keys.revoke(key)
    await beyond.keys.revoke(key)
    expect(await statusOf(ofAccount.automations.ci.scan())).toBe(401)
    const listed = await beyond.keys.list(account)
    expect(listed).toMatchObject({
      apiKeys: [
        { id: 'key_deploy_1', isRevoked: true },
        { id: 'key_deploy_2', isRevoked: false },
      ],
    })
    expect(JSON.stringify(listed)).not.toContain('fk-')
    expect(await statusOf(beyond.keys.list({ serviceAccountId: 'none' }))).toBe(404)
  })

  it('are out of reach of members', async () => {
    const { beyond } = await start({}, member)
    expect(await statusOf(beyond.keys.list(account))).toBe(403)
    expect(await statusOf(beyond.keys.revoke(key))).toBe(403)
  })
})
