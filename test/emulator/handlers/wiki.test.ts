import { describe, expect, it } from 'vitest'
import { NOW, startTestEmulator } from '../_support.ts'

const WIKI = '/api/v0/wiki'

describe('POST /api/v0/wiki', () => {
  it('creates a run that is completed after two seconds', async () => {
    const emulator = await startTestEmulator()
    const request = { repoUrl: 'https://example.com/r', depth: 3 }
    const { status, body } = await emulator.post(WIKI, request)
    expect(status).toBe(200)
    expect(body).toEqual({
      wikiRunId: expect.any(String),
      status: 'pending',
      privacy: 'private',
      createdAt: NOW,
      updatedAt: NOW,
      request,
    })
    const states = []
    for (let second = 0; second < 3; second += 1) {
      states.push((await emulator.get(`${WIKI}/${body.wikiRunId}`)).body.status)
      emulator.clock.advance(1000)
    }
    expect(states).toEqual(['pending', 'running', 'completed'])
  })

  it('accepts a request without a body', async () => {
    const emulator = await startTestEmulator()
    expect((await emulator.post(WIKI)).status).toBe(200)
  })

  it.each(['[1]', '"text"', '1', 'null'])('accepts any JSON, such as %s', async (body) => {
    const emulator = await startTestEmulator()
    expect((await emulator.post(WIKI, body)).status).toBe(200)
  })
})

describe('GET .../wiki/{wikiRunId}', () => {
  it('returns a run of the seed, and responds with 404 to an unknown ID', async () => {
    const emulator = await startTestEmulator()
    const path = `${WIKI}/${emulator.wikiRunId}`
    expect((await emulator.get(path)).body).toMatchObject({ status: 'completed' })
    expect((await emulator.get(`${WIKI}/nope`)).status).toBe(404)
  })
})

describe('GET .../wiki/{wikiRunId}/search', () => {
  it.each([
    ['?query=QUEUE', ['Payments']],
    ['?q=tests', ['Tests']],
    ['?query=zebra&other=1', []],
    ['', ['Overview', 'Payments', 'Tests']],
  ])('finds pages with the query %j', async (query, titles) => {
    const emulator = await startTestEmulator()
    const { status, body } = await emulator.get(`${WIKI}/${emulator.wikiRunId}/search${query}`)
    expect(status).toBe(200)
    expect(body.results.map(({ title }: { title: string }) => title)).toEqual(titles)
  })

  it('ignores a run ID in the query', async () => {
    const emulator = await startTestEmulator()
    const path = `${WIKI}/nope/search?wikiRunId=${emulator.wikiRunId}`
    expect((await emulator.get(path)).status).toBe(404)
  })
})

describe('POST .../wiki/{wikiRunId}/privacy', () => {
  it.each(['privacy', 'privacyLevel', 'level', 'visibility'])(
    'changes the privacy with the field %s',
    async (name) => {
      const emulator = await startTestEmulator()
      const path = `${WIKI}/${emulator.wikiRunId}`
      const answer = await emulator.post(`${path}/privacy`, { [name]: 'organization' })
      expect(answer.body.privacy).toBe('organization')
      expect((await emulator.get(path)).body).toMatchObject({
        privacy: 'organization',
        updatedAt: NOW,
      })
    },
  )

  it('changes nothing without a level, and responds with 404 for an unknown run', async () => {
    const emulator = await startTestEmulator()
    const path = `${WIKI}/${emulator.wikiRunId}`
    const { body: before } = await emulator.get(path)
    for (const body of [undefined, {}, { privacy: '' }, { levels: [] }, '[]']) {
      const answer = await emulator.post(`${path}/privacy`, body)
      expect(answer).toMatchObject({ status: 200, body: before })
    }
    expect((await emulator.post(`${WIKI}/nope/privacy`, { privacy: 'a' })).status).toBe(404)
  })
})

it('all wiki endpoints respond with 403 while cloud sync is off', async () => {
  const emulator = await startTestEmulator({ seed: { organization: { wikiCloudSync: false } } })
  const run = `${WIKI}/${emulator.wikiRunId}`
  const answers = [
    await emulator.post(WIKI),
    await emulator.get(run),
    await emulator.get(`${run}/search`),
    await emulator.post(`${run}/privacy`, { privacy: 'a' }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
})
