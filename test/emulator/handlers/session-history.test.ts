import { describe, expect, it } from 'vitest'
import { startTestEmulator, type TestEmulator } from '../_support.ts'

const SESSIONS = '/api/v0/sessions'
const off = { organization: { sessionMessages: false } }

describe('GET .../messages', () => {
  const messages = Array.from({ length: 45 }, (_, index) => ({
    id: `m${index}`,
    role: ['user', 'assistant', 'tool'][index % 3] ?? 'user',
    content: [],
  }))
  const seed = { sessions: [{ id: 's', computerId: 'comp_ada', messages }] }
  const path = `${SESSIONS}/s/messages`

  async function readAll(emulator: TestEmulator, query: Record<string, string>) {
    const ids: string[] = []
    const sizes: number[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const search = new URLSearchParams({ ...query, ...(cursor ? { cursor } : {}) })
      const { body } = await emulator.get(`${path}?${search}`)
      ids.push(...body.messages.map(({ id }: { id: string }) => id))
      sizes.push(body.messages.length)
      expect(body.pagination.hasMore).toBe(body.pagination.nextCursor !== null)
      cursor = body.pagination.nextCursor
    }
    return { ids, sizes }
  }

  it('returns pages of 20 or of the given size, each message once and in order', async () => {
    const emulator = await startTestEmulator({ seed })
    const all = messages.map(({ id }) => id)
    expect(await readAll(emulator, {})).toEqual({ ids: all, sizes: [20, 20, 5] })
    expect(await readAll(emulator, { limit: '15' })).toEqual({ ids: all, sizes: [15, 15, 15] })
    expect(await readAll(emulator, { limit: '100' })).toEqual({ ids: all, sizes: [45] })
  })

  it('filters by role across pages', async () => {
    const emulator = await startTestEmulator({ seed })
    const { ids, sizes } = await readAll(emulator, { role: 'tool', limit: '10' })
    const tools = messages.filter(({ role }) => role === 'tool')
    expect(ids).toEqual(tools.map(({ id }) => id))
    expect(sizes).toEqual([10, 5])
  })

  it('continues correctly when messages are added between two pages', async () => {
    const emulator = await startTestEmulator({ seed })
    const first = (await emulator.get(`${path}?limit=44`)).body
    await emulator.post(path, { text: 'new' })
    const cursor = first.pagination.nextCursor
    const second = (await emulator.get(`${path}?limit=44&cursor=${cursor}`)).body
    expect(second.messages.map(({ role }: { role: string }) => role)).toEqual(['tool', 'user'])
  })

  it('responds with 400 to an unknown cursor, role or parameter, and to an invalid limit', async () => {
    const emulator = await startTestEmulator({ seed })
    for (const query of ['cursor=nope', 'role=system', 'page=2', 'limit=ten', 'limit=']) {
      const answer = await emulator.get(`${path}?${query}`)
      expect(answer.status, query).toBe(400)
      expect(answer.body.detail, query).toContain(`query.${query.split('=')[0]}`)
    }
  })

  it('responds with 403 without access and with 404 for an unknown session or another computer', async () => {
    const emulator = await startTestEmulator({ seed })
    expect((await emulator.get(path, { key: emulator.memberApiKey })).status).toBe(403)
    expect((await emulator.get(`${SESSIONS}/nope/messages`)).status).toBe(404)
    expect((await emulator.get(`${path}?computerId=comp_ada`)).status).toBe(200)
    expect((await emulator.get(`${path}?computerId=comp_deploy`)).status).toBe(404)
    const closed = await startTestEmulator({ seed: { ...seed, ...off } })
    expect((await closed.get(path)).status).toBe(403)
  })
})
