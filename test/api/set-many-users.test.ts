import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/api/index.ts'
import { type FaultInput, startEmulator } from '../../src/emulator/index.ts'
import { errorOf } from './_support.ts'

const endpoint = 'organization.limits.setUsers'

/** An organization of this many users, and a client that does not repeat requests. */
async function start(count: number, fault?: FaultInput) {
  const users = Array.from({ length: count }, (_, at) => ({
    id: `u${at}`,
    email: `u${at}@example.com`,
    ...(at === 0 ? { role: 'owner' as const, apiKey: 'key' } : {}),
  }))
  const emulator = await startEmulator({ seed: { users, serviceAccounts: [] } })
  onTestFinished(() => emulator.close())
  if (fault) emulator.faults.add(fault)
  const { limits } = createClient({ ...emulator.clientOptions, retries: 0 }).organization
  const input = { users: users.map(({ email }) => ({ email, limit: 1_000_000 })) }
  const sizes = () => emulator.requests().map(({ body }) => Object(body).users.length)
  return { limits, input, sizes }
}

const refuse = (fault: Pick<FaultInput, 'skip' | 'times'>): FaultInput =>
  // biome-ignore lint/suspicious/noThenProperty: never a function, so the object is not a thenable
  ({ endpoint, ...fault, then: { status: 500, body: 'no' } })

describe('setManyUsers', () => {
  it.each([
    [1, [1]],
    [100, [100]],
    [101, [100, 1]],
    [250, [100, 100, 50]],
  ])('sets the limits of %i users in requests of %j', async (count, expected) => {
    const { limits, input, sizes } = await start(count)
    const { updated, errors } = await limits.setManyUsers(input)
    expect(updated).toEqual(input.users)
    expect(errors).toEqual([])
    expect(sizes()).toEqual(expected)
  })

  it('joins the entries that were refused', async () => {
    const { limits, input } = await start(150)
    const strangers = ['x@example.com', 'y@example.com'].map((email) => ({ email, limit: 1 }))
    const [first, ...others] = strangers
    const users = [first as (typeof strangers)[0], ...input.users, ...others]
    const { updated, errors } = await limits.setManyUsers({ users })
    expect(updated).toEqual(input.users)
    expect(errors.map(({ email }) => email)).toEqual(['x@example.com', 'y@example.com'])
  })

  it('stops at a request that fails, and lists its users and those that were not tried', async () => {
    const { limits, input, sizes } = await start(250, refuse({ skip: 1 }))
    const { updated, errors } = await limits.setManyUsers(input)
    expect(updated).toEqual(input.users.slice(0, 100))
    expect(errors.map(({ email }) => email)).toEqual(
      input.users.slice(100).map(({ email }) => email),
    )
    expect(errors[0]?.error).toMatch(/500 Internal Server Error/)
    expect(errors.at(-1)?.error).toBe('not tried')
    expect(sizes()).toEqual([100, 100])
  })

  it('fails if nothing was set', async () => {
    const { limits, input } = await start(150, refuse({ times: 'always' }))
    expect(await errorOf(limits.setManyUsers(input))).toMatchObject({ kind: 'http', status: 500 })
    const empty = await errorOf(limits.setManyUsers({ users: [] }))
    expect(empty).toMatchObject({ kind: 'validation', issues: [{ field: 'users' }] })
  })
})
