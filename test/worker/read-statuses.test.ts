import { readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { hasProc } from '../../src/spool/lock/owner.ts'
import { readStatuses } from '../../src/worker/read-statuses.ts'
import { makeWorld } from './_world.ts'

const LINES = 20_000

/** A journal in which the events e0, e1, ... were suppressed. */
function makeJournal() {
  const { stateDir } = makeWorld()
  const path = join(stateDir, 'journal.jsonl')
  const line = (_: unknown, index: number) =>
    JSON.stringify({ at: 1, id: `e${index}`, type: 'suppressed', reason: 'a test' })
  writeFileSync(path, `${Array.from({ length: LINES }, line).join('\n')}\n`, { mode: 0o600 })
  return { stateDir, path }
}

function timesOpen(path: string): number {
  const names = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`)
    } catch {
      return ''
    }
  })
  return names.filter((name) => name === path).length
}

describe('the status of events that were begun', () => {
  it('covers exactly the requested events, even for several requests at once', async () => {
    const { stateDir } = makeJournal()
    const asked = [['e1', 'e2'], ['e3'], ['e2', 'unknown'], []]
    const all = await Promise.all(asked.map((ids) => readStatuses(stateDir, ids)))
    expect(all.map((statuses) => [...statuses.keys()])).toEqual([['e1', 'e2'], ['e3'], ['e2'], []])
    expect(all[1]?.get('e3')).toMatchObject({ outcome: 'suppressed', reason: 'a test' })
  })

  it('includes what was recorded before the request, even while an earlier request is being read', async () => {
    const { stateDir, path } = makeJournal()
    const first = readStatuses(stateDir, ['e1'])
    await nextTurn()
    writeFileSync(path, '{"at":2,"id":"late","type":"suppressed","reason":"x"}\n', { flag: 'a' })
    expect((await readStatuses(stateDir, ['late'])).has('late')).toBe(true)
    expect((await first).has('e1')).toBe(true)
  })

  it.skipIf(!hasProc())(
    'of a burst of events keeps one journal file open at a time, not one for each event',
    async () => {
      const { stateDir, path } = makeJournal()
      let isOver = false
      const all = Promise.all(
        Array.from({ length: 100 }, (_, at) => readStatuses(stateDir, [`e${at}`])),
      )
      void all.finally(() => {
        isOver = true
      })
      let most = 0
      while (!isOver) {
        most = Math.max(most, timesOpen(path))
        await nextTurn()
      }
      expect((await all).every((statuses) => statuses.size === 1)).toBe(true)
      expect(most).toBeLessThanOrEqual(1)
    },
  )
})
