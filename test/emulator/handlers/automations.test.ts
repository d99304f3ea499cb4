import { describe, expect, it } from 'vitest'
import { makeFault, NOW, startTestEmulator } from '../_support.ts'

const CI = '/api/v0/automations/ci'

describe('GET .../ci/repositories', () => {
  it('returns the repositories of the seed', async () => {
    const repositories = [{ id: 'r', url: 'https://example.com/r' }]
    const emulator = await startTestEmulator({ seed: { repositories } })
    const { status, body } = await emulator.get(`${CI}/repositories?anything=1`)
    expect(status).toBe(200)
    expect(body.repositories).toEqual([
      { id: 'r', url: 'https://example.com/r', defaultBranch: 'main', eligible: true },
    ])
  })

  it('responds with 500 once for a fault', async () => {
    const emulator = await startTestEmulator()
    emulator.faults.add(makeFault({ endpoint: 'automations.ci.repositories' }, { status: 500 }))
    expect((await emulator.get(`${CI}/repositories`)).status).toBe(500)
    expect((await emulator.get(`${CI}/repositories`)).status).toBe(200)
  })
})

describe('GET .../ci/scan', () => {
  it('returns the workflows of each repository', async () => {
    const emulator = await startTestEmulator()
    const { status, body } = await emulator.get(`${CI}/scan?repoUrl=a&repoUrl=b`)
    expect(status).toBe(200)
    expect(body.scannedAt).toBe(NOW)
    const counts = body.repositories.map((one: { workflows: unknown[] }) => one.workflows.length)
    expect(counts).toEqual([1, 0])
  })
})
