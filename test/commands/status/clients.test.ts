import { expect, it } from 'vitest'
import { describeClient } from '../../../src/commands/status/clients.ts'
import type { ClientRow } from '../../../src/doctor/overview.ts'

it('names the problem of a client at once, and how many others there are', () => {
  const row: ClientRow = {
    ...{ client: 'codex', title: 'Codex CLI', registered: ['/a/hooks.json'], lastEvent: null },
    problems: ['its hooks wait for your approval\u001b. Run: codex, then /hooks'],
  }
  const told = 'has a problem: its hooks wait for your approval\\u001b. Run: codex, then /hooks'
  expect(describeClient(row, 'no event yet')).toBe(told)
  const both = { ...row, problems: [...row.problems, 'hooks are off'] }
  expect(describeClient(both, 'no event yet')).toBe(`${told} (and 1 more below)`)
  expect(describeClient({ ...row, problems: [] }, 'no event yet')).toBe(
    'registered in /a/hooks.json; no event yet',
  )
})
