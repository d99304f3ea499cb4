import { describe, expect, it } from 'vitest'
import { clients } from '../../src/clients/index.ts'
import { planInstall } from '../../src/install/edit/plan.ts'
import { exampleHooks } from '../../src/install/example.ts'
import { hookEntry, sharedHookCommand } from '../../src/install/hook-command.ts'

describe('exampleHooks', () => {
  it('matches what init writes into an empty hooks.json of a project', () => {
    const { events } = clients.droid
    const hook = hookEntry(clients.droid, sharedHookCommand('droid'))
    const plan = planInstall('', { path: 'hooks.json', shape: 'bare', events, hook })
    expect(exampleHooks()).toBe(plan.text)
  })

  it('has a list with one command for each event', () => {
    const example = JSON.parse(exampleHooks())
    expect(Object.keys(example)).toEqual([...clients.droid.events])
    for (const groups of Object.values(example)) {
      expect(groups).toEqual([
        { hooks: [{ type: 'command', command: expect.any(String), timeout: expect.any(Number) }] },
      ])
    }
  })
})
