import { describe, expect, it } from 'vitest'
import type { ProjectRules } from '../../src/context/project-rules.ts'
import { Memory } from '../../src/policy/memory.ts'
import { prepared, prompt, stop } from './_world.ts'

describe('the file of a project', () => {
  const titleOf = async (project?: Partial<ProjectRules>) => {
    const { deliveries, entry } = await prepared(stop, project ? { project } : {})
    expect(entry.project).toBe('shop')
    return deliveries[0]?.message.title.split(':')[0]?.replace('Claude · ', '')
  }

  it('may name the project, but only beside the name of its folder until it is trusted', async () => {
    expect(await titleOf()).toBe('shop')
    expect(await titleOf({})).toBe('shop')
    expect(await titleOf({ label: 'shop' })).toBe('shop')
    expect(await titleOf({ label: 'Bank' })).toBe('Bank (shop)')
    expect(await titleOf({ label: 'Bank', trust: 'changed' })).toBe('Bank (shop)')
    expect(await titleOf({ label: 'Bank', trust: 'trusted' })).toBe('Bank')
    const { deliveries } = await prepared(stop, { project: { label: 'Bank' }, folder: '' })
    expect(deliveries[0]?.message.title).toMatch(/^Claude · Bank:/)
  })

  it.each<[string, Partial<ProjectRules>, RegExp | undefined]>([
    ['when that holds', { when: { project: ['shop'] } }, undefined],
    ['when that does not hold', { when: { project: ['bank'] } }, /when /],
    ['not that holds', { not: { project: ['shop'] } }, /not /],
    ['not that does not hold', { not: { project: ['bank'] } }, undefined],
    ['when it runs on another machine', { when: { host: ['laptop'] } }, /when /],
    ['not at this time', { not: { from: '09:29', to: '09:31', timeZone: 'UTC' } }, /not /],
    ['when it is later', { when: { from: '10:00', to: '11:00', timeZone: 'UTC' } }, /when /],
    ['on this machine', { when: { host: ['workstation'] } }, undefined],
    ['both', { when: { project: ['shop'] }, not: { project: ['bank'] } }, undefined],
  ])('may exclude an event: %s', async (_, project, reason) => {
    const result = await prepared(stop, { project })
    expect(result.deliveries).toHaveLength(reason ? 0 : 1)
    if (reason) expect(result.reason).toMatch(reason)
    else expect(result).not.toHaveProperty('reason')
  })

  it('excludes no event by an expression that takes too long', async () => {
    const payload = { ...stop, last_assistant_message: `${'a'.repeat(1000)}!` }
    for (const name of ['when', 'not']) {
      const { deliveries } = await prepared(payload, { project: { [name]: { message: '(a+)+$' } } })
      expect(deliveries).toHaveLength(1)
    }
  })

  /** Seconds that the person and the project demand, and whether 30 s are enough for both. */
  const demands: readonly [mine: number, its: number, isTold: boolean][] = [
    [10, 60, false],
    [60, 10, false],
    [10, 10, true],
  ]

  it.each(demands)(
    'may only raise the limits: %d s by the person, %d s by the project',
    async (mine, its, isTold) => {
      const memory = new Memory()
      const world = {
        config: { noise: { minSeconds: mine } },
        project: { minSeconds: its },
        memory,
      }
      await prepared(prompt, world)
      const { deliveries } = await prepared(stop, { ...world, seconds: 30 })
      expect(deliveries).toHaveLength(isTold ? 1 : 0)
    },
  )

  it.each(demands)(
    'may only raise the cooldown: %d s by the person, %d s by the project',
    async (mine, its, isTold) => {
      const memory = new Memory()
      const config = { noise: { cooldownSeconds: mine } }
      const world = { config, project: { cooldownSeconds: its }, memory }
      await prepared(stop, world)
      const { deliveries } = await prepared(stop, { ...world, seconds: 30 })
      expect(deliveries).toHaveLength(isTold ? 1 : 0)
    },
  )

  it.each<[Partial<ProjectRules>, object[]]>([
    [{ counts: [], ignored: [] }, []],
    [
      { counts: ['name', 'mute'], ignored: ['when'] },
      [
        { verdict: 'applied', because: 'name, mute of /srv/shop/.hookbell.json (untrusted)' },
        { verdict: 'ignored', because: 'when (hookbell trust)' },
      ],
    ],
    [
      { ignored: ['when', 'not'], trust: 'changed' },
      [
        {
          verdict: 'ignored',
          because: 'when, not (it changed since it was trusted: hookbell trust)',
        },
      ],
    ],
    [
      { ignored: ['not readable'], trust: 'trusted' },
      [{ verdict: 'ignored', because: 'not readable' }],
    ],
  ])('is explained: %j', async (project, steps) => {
    const { entry } = await prepared(stop, { project })
    expect(entry.trace?.filter(({ by }) => by === 'project file')).toEqual(
      steps.map((step) => ({ by: 'project file', ...step })),
    )
  })
})
