import { describe, expect, it } from 'vitest'
import { makeHome } from '../support/home.ts'

describe('a channel that no route names', () => {
  it('is shown as such by status, which is no problem, and by test', async () => {
    const home = await makeHome({
      channels: {
        told: { type: 'file', path: '~/told.jsonl' },
        alone: { type: 'file', path: '~/alone.jsonl' },
      },
      routes: [{ on: ['done'], to: ['told'] }],
    })
    const test = await home.run('test', 'alone')
    expect(test.stdout).toContain('No route names it: no event reaches it')
    const { exitCode, stdout } = await home.run('status')
    expect(stdout).toMatch(/^alone +file {2}delivered just now: .*; no route names it: no event/m)
    expect(stdout).toMatch(/^told +file {2}nothing sent yet$/m)
    expect(exitCode).toBe(0)
    const { channels } = JSON.parse((await home.run('status', '--json')).stdout)
    expect(channels).toMatchObject([
      { name: 'told', isReachable: true },
      { name: 'alone', isReachable: false },
    ])
  })
})
