import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkSpool, noRisk } from '../../src/doctor/spool.ts'
import { emptyStatus, type Outcome } from '../../src/journal/history.ts'
import { prepareSpool } from '../../src/spool/layout.ts'
import { makeFolder } from '../support/folder.ts'
import { find, MINUTE_MS, makeFacts, now } from './_facts.ts'

describe('the check of waiting events', () => {
  /** Events that were accepted so many minutes ago. */
  const said = (...events: [minutes: number, outcome: Outcome][]) => {
    const statuses = events.map(([minutes, outcome]) => ({
      ...emptyStatus(`${minutes}`, now - minutes * MINUTE_MS),
      outcome,
    }))
    return find(checkSpool(makeFacts({ events: statuses })), 'spool.backlog')[0]
  }

  it('warns once the oldest has waited for more than an hour', () => {
    expect(said([90, 'delivered'])).toMatchObject({ status: 'ok', seen: 'nothing waits' })
    expect(said([60, 'waiting'], [5, 'waiting'], [90, 'dead'])).toMatchObject({
      ...{ status: 'ok', seen: '2 wait, the oldest 60 min', do: '' },
    })
    expect(said([61, 'waiting'], [5, 'waiting'])).toMatchObject({
      ...{ status: 'warning', seen: '2 wait, the oldest 61 min', do: 'hookbell log' },
    })
    // Accepted before the clock was set back.
    expect(said([-5, 'waiting'])).toMatchObject({ seen: '1 wait, the oldest 0 min' })
  })

  it('names the other folder in which events are stored, until it is empty', async () => {
    const folders = ['/nowhere/state', await makeFolder()]
    const checked = () => find(checkSpool(makeFacts({ folders })), 'spool.fallback')
    const fallback = prepareSpool(folders[1] ?? '')
    expect(checked()).toEqual([])
    writeFileSync(join(fallback.new, 'event'), '')
    expect(checked()).toMatchObject([
      {
        status: 'warning',
        seen: `events are stored in ${fallback.state}`,
        do: expect.stringMatching(/repair \/nowhere/),
      },
    ])
    // A person has to look at it, but no event waits.
    renameSync(join(fallback.new, 'event'), join(fallback.corrupt, 'event'))
    expect(checked()).toEqual([])
  })
})

it('does not claim on Windows that only the user can write, because it cannot check that', () => {
  expect(noRisk('win32').status).toBe('cannot tell')
  expect(noRisk('linux').status).toBe('ok')
})
