import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type ApplyOptions, applyPlan, commitUnchanged } from '../../src/install/apply.ts'
import { isFull } from '../support/runs.ts'
import { makeHome, makePlan } from './make-home.ts'

/** The minimum of rounds, of keys that survived, and of commits before the test ends. */
const [ROUNDS, TAKEN, COMMITS] = isFull ? [300, 20, 30] : [40, 5, 8]

interface Seen {
  written: number
  invalid: number
  lost: { key: string; renamed: [string, string] }[]
}

async function startWriter(path: string): Promise<() => Promise<Seen>> {
  const script = fileURLToPath(new URL('concurrent-writer.mjs', import.meta.url))
  const child = spawn(process.execPath, [script, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk
  })
  return async () => {
    child.stdin.end()
    await once(child, 'close')
    return JSON.parse(output)
  }
}

describe('applyPlan beside a client that rewrites its settings', () => {
  it('never corrupts the file and loses no write that it could have detected', async () => {
    const path = join(makeHome({ 'settings.json': '{\n  "first": true\n}\n' }), 'settings.json')
    const commits: [bigint, bigint][] = []
    const commit: ApplyOptions['commit'] = (...args) => {
      const from = process.hrtime.bigint()
      const isDone = commitUnchanged(...args)
      if (isDone) commits.push([from, process.hrtime.bigint()])
      return isDone
    }
    const stopWriter = await startWriter(path)
    let gaveUp = 0
    let taken = 0
    // The writer may start late, and on a busy machine many rounds give up, as intended.
    const isEnough = () => taken > TAKEN && commits.length > COMMITS
    for (let round = 0; round < ROUNDS || !isEnough(); round += 1) {
      const plan = makePlan(path, `/state/${round % 2}`)
      try {
        applyPlan({ path, isShared: false, stateDir: join(path, '../state'), plan, commit })
      } catch (error) {
        expect(String(error)).toMatch(/the file keeps changing/)
        gaveUp += 1
      }
      const settings = JSON.parse(readFileSync(path, 'utf8'))
      expect(settings).toHaveProperty('first', true)
      taken = Object.keys(settings).filter((key) => /^k\d+$/.test(key)).length
      await sleep(1)
    }
    const { written, invalid, lost } = await stopWriter()

    // A write in the microseconds between our last check and the rename cannot be detected, since
    // clients take no lock. A write outside of that window must never be lost.
    const blind = lost.filter(({ renamed: [from, to] }) =>
      commits.some(([start, end]) => BigInt(to) >= start && BigInt(from) <= end),
    )
    expect(lost.filter((each) => !blind.includes(each))).toEqual([])
    // The client writes every 12 ms. A commit in which this process was suspended overlaps many writes.
    const blindMs = commits.reduce((sum, [start, end]) => sum + Number(end - start) / 1e6, 0)
    expect(blind.length).toBeLessThanOrEqual(10 + blindMs / 5)
    expect(invalid).toBe(0)
    expect(written).toBeGreaterThan(TAKEN)
    expect(commits.length).toBeGreaterThan(COMMITS)
    if (process.env.HOOKBELL_TEST_VERBOSE) {
      const widths = commits.map(([start, end]) => Number(end - start) / 1000).sort((a, b) => a - b)
      const width = widths[Math.floor(widths.length / 2)]
      console.log({ written, commits: commits.length, gaveUp, blind: blind.length, width })
    }
  })
})
