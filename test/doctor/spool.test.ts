import { describe, expect, it } from 'vitest'
import { checkSpool, noRisk } from '../../src/doctor/spool.ts'
import { emptyStatus, type Outcome } from '../../src/journal/history.ts'
import { find, MINUTE_MS, makeFacts, now } from './_facts.ts'

describe('what is said of waiting events', () => {
  /** Events that were accepted so many minutes ago. */
  const said = (...events: [minutes: number, outcome: Outcome][]) => {
    const statuses = events.map(([minutes, outcome]) => ({
      ...emptyStatus(`${minutes}`, now - minutes * MINUTE_MS),
      outcome,
    }))
    return find(checkSpool(makeFacts({ events: statuses })), 'spool.backlog')[0]
  }

  it('is a warning once the oldest waits for more than an hour', () => {
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

  it('names the other folders in which events were stored', () => {
    const folders = ['/nowhere/state', '/run/fallback']
    expect(find(checkSpool(makeFacts({ folders })), 'spool.fallback')).toMatchObject([
      {
        status: 'warning',
        seen: 'events were stored in /run/fallback',
        do: expect.stringMatching(/repair \/nowhere/),
      },
    ])
  })
})

it('does not claim on Windows what it cannot check there', () => {
  expect(noRisk('win32').status).toBe('cannot tell')
  expect(noRisk('linux').status).toBe('ok')
})
