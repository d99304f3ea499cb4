import { describe, expect, it } from 'vitest'
import { startTestEmulator } from '../_support.ts'

const PATH = '/api/organization/maturity-level-reports'
const RENAMED = '/api/organization/agent-readiness-reports'
const idOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const idsOf = (body: { reports: { reportId: string }[] }) =>
  body.reports.map(({ reportId }) => reportId)

describe(`GET ${PATH}`, () => {
  it('returns the reports to every role, newest first', async () => {
    const emulator = await startTestEmulator()
    const { status, body } = await emulator.get(PATH, { key: emulator.memberApiKey })
    expect(status).toBe(200)
    expect(idsOf(body)).toEqual([5, 4, 3, 2, 1].map(idOf))
    expect(body.reports[0]).not.toHaveProperty('repoId')
  })

  it('continues after the last report of a page', async () => {
    const emulator = await startTestEmulator()
    const pages = []
    for (let after = ''; pages.length < 4; ) {
      const { body } = await emulator.get(`${PATH}?limit=2${after}`)
      pages.push(idsOf(body).length)
      after = `&startAfter=${idsOf(body).at(-1) ?? idOf(1)}`
    }
    expect(pages).toEqual([2, 2, 1, 0])
  })

  it('filters by repository', async () => {
    const emulator = await startTestEmulator()
    const { body } = await emulator.get(`${PATH}?repoId=repo_site`)
    expect(idsOf(body)).toEqual([4, 2].map(idOf))
    expect((await emulator.get(`${PATH}?repoId=nope`)).body).toEqual({ reports: [] })
  })

  it('responds with 400 to a limit below 1 and to an unknown cursor', async () => {
    const emulator = await startTestEmulator()
    for (const query of ['limit=0', 'limit=1.5', 'limit=x', 'startAfter=nope']) {
      const { status, body } = await emulator.get(`${PATH}?${query}`)
      expect(status, query).toBe(400)
      expect(body.detail, query).toContain(`query.${query.split('=')[0]}`)
    }
  })

  it.each([
    ['both', 200, 200],
    ['specification', 200, 404],
    ['renamed', 404, 200],
  ] as const)(
    'is available on the paths of the setting %s',
    async (readinessAddress, old, renamed) => {
      const emulator = await startTestEmulator({ seed: { behavior: { readinessAddress } } })
      expect((await emulator.get(PATH)).status).toBe(old)
      expect((await emulator.get(RENAMED)).status).toBe(renamed)
    },
  )
})
