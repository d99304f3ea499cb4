import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ProjectRules } from '../../src/context/project-rules.ts'
import type { Kind } from '../../src/event/event.ts'
import { Memory } from '../../src/policy/memory.ts'
import { judgeDue } from '../../src/prepare/decide.ts'
import { prepare } from '../../src/prepare/prepare.ts'
import { policyConfig } from '../../src/simulate/judge.ts'
import { Replay } from '../../src/simulate/replay.ts'
import { parsePayload } from '../support/payload.ts'
import {
  ask,
  at,
  channels,
  eventOf,
  makeWorld,
  prepared,
  prompt,
  quietHours,
  routeTo,
  stop,
} from './_world.ts'

describe('a channel that a person asked for', () => {
  const config = { ...routeTo('desk'), noise: { quietHours } }

  it('gets the event whatever the rules say', async () => {
    const { deliveries, held, entry } = await prepared(stop, { config }, { channel: 'mail' })
    expect(deliveries).toMatchObject([{ channel: 'mail', isUnconditional: true }])
    expect(held).toEqual([])
    expect(entry.trace?.at(-1)).toMatchObject({ by: 'policies', channel: 'mail', verdict: 'send' })
  })
})

describe('channels that an earlier worker chose', () => {
  it('are used although the routes or the rules say otherwise now', async () => {
    const routes = [{ on: ['*'], to: ['desk', 'log'], urgency: 'critical', template: 'short' }]
    const config = { routes, noise: { quietHours } }
    const { deliveries, held } = await prepared(stop, { config }, { open: ['hook', 'desk'] })
    expect(deliveries).toMatchObject([
      { channel: 'hook', urgency: 'normal' },
      { channel: 'desk', urgency: 'critical', template: 'short' },
    ])
    expect(deliveries[0]).not.toHaveProperty('template')
    expect(deliveries[1]).not.toHaveProperty('isUnconditional')
    expect(held).toEqual([])
  })

  it('are used although no route matches now', async () => {
    const routes = [{ on: ['failed'], to: ['desk'] }]
    const result = await prepared(stop, { config: { routes } }, { open: ['desk'] })
    expect(result).toMatchObject({ deliveries: [{ channel: 'desk' }] })
    expect(result).not.toHaveProperty('reason')
  })

  it('get a message without text if they are gone from the configuration', async () => {
    const { deliveries } = await prepared(ask, {}, { open: ['gone'] })
    expect(deliveries).toMatchObject([{ channel: 'gone', message: { body: '' } }])
    expect(JSON.stringify(deliveries)).not.toContain('npm publish')
  })

  it('are not replaced by others if all of them are done', async () => {
    const result = await prepared(stop, {}, { open: [] })
    expect(result).toMatchObject({ deliveries: [], held: [] })
    expect(result).not.toHaveProperty('reason')
  })
})

describe('the duration of a turn', () => {
  const prompt = { hook_event_name: 'UserPromptSubmit', prompt: 'Go' }
  const routes = [{ on: ['done'], when: { minSeconds: 60 }, to: ['desk'] }]

  it('is the time since its prompt if there is no transcript', async () => {
    const memory = new Memory()
    await prepared(prompt, { config: { routes }, memory })
    const { deliveries } = await prepared(stop, { config: { routes }, memory, seconds: 240 })
    expect(deliveries).toMatchObject([{ message: { title: 'Claude · shop: done in 4 min' } }])
  })

  it('is the time since a person last wrote if the client began the turn by itself', async () => {
    const memory = new Memory()
    const own = { ...prompt, prompt: '<task-notification>b1</task-notification>' }
    const told = async (event: object, seconds: number) =>
      (await prepared(event, { config: { routes }, memory, seconds })).entry.title
    await told(prompt, 0)
    await told({ ...stop, background_tasks: [{ id: 'b1' }, { id: 'b2' }] }, 60)
    await told(own, 600)
    expect(await told({ ...stop, background_tasks: [{ id: 'b1' }] }, 605)).toBe(
      'Claude · shop: done in 10 min',
    )
    await told({ ...prompt, prompt: 'And the linter' }, 700)
    expect(await told({ ...stop, background_tasks: [{ id: 'b1' }] }, 705)).toBe(
      'Claude · shop: done in 5 s',
    )
  })

  it('tells how much of it the turn may have waited for a person', async () => {
    const memory = new Memory()
    const told = async (event: object, seconds: number) =>
      (await prepared(event, { config: { routes }, memory, seconds })).entry
    await told(prompt, 0)
    await told(ask, 30)
    // The answer is not seen before the end of the turn, so it came at any time until then.
    expect((await told(stop, 7260)).title).toBe(
      'Claude · shop: done in 2 h 1 min (up to 2 h 1 min of it waiting for you)',
    )
    await told(prompt, 9000)
    const next = await told(stop, 9120)
    expect([next.title, next.facts?.waitingMs]).toEqual(['Claude · shop: done in 2 min', undefined])
  })

  it('never looks as long as the limit that it is below', async () => {
    const limits = fc.integer({ min: 1, max: 200 })
    const missing = fc.integer({ min: 1, max: 9 })
    await fc.assert(
      fc.asyncProperty(limits, missing, async (limit, tenths) => {
        const config = { noise: { minSeconds: limit } }
        const memory = new Memory()
        await prepared(prompt, { config, memory })
        const { entry } = await prepared(stop, { config, memory, seconds: limit - tenths / 10 })
        expect(entry.trace?.at(-1)).toMatchObject({ by: 'short-turns', verdict: 'suppress' })
        const [, number, unit] = / in (\d+) (s|min)$/.exec(entry.title) ?? []
        expect(Number(number) * (unit === 's' ? 1 : 60)).toBeLessThan(limit)
      }),
    )
  })

  it('is the one in the reason for which the turn is not told, whatever its transcript shows', () => {
    const ms = fc.integer({ min: 0, max: 20_000 })
    fc.assert(
      fc.property(ms, fc.option(ms, { nil: undefined }), (took, shown) => {
        const replay = new Replay(policyConfig({}))
        const context = { project: 'shop', branch: '', title: '', firstPrompt: '' }
        const did = { tools: {}, files: [], commands: [] }
        for (const [id, payload, at] of [
          ['p', prompt, 0],
          ['s', stop, took],
        ] as const) {
          const event = parsePayload({ ...payload, session_id: 's1' }, { client: 'claude', at })
          const found = { ...event, ...context, id, did, tokens: undefined, durationMs: shown }
          replay.add({ found: { ...found, at: at + 1 } })
        }
        const { facts, trace } = replay.entries[1] ?? {}
        const because = trace?.at(-1)?.because ?? ''
        const [, seconds] = /the turn took ([\d.]+) s, less/.exec(because) ?? []
        expect(seconds !== undefined).toBe(Math.max(took, shown ?? 0) < 15_000)
        if (seconds !== undefined)
          expect(Number(seconds)).toBe(Math.floor((facts?.durationMs ?? 0) / 100) / 10)
      }),
    )
  })

  it('is unknown if no prompt of it is known', async () => {
    const { entry, deliveries } = await prepared(stop, { config: { routes } })
    expect(entry.title).toBe('Claude · shop: done')
    expect(deliveries).toEqual([])
  })
})

describe('a condition of a route', () => {
  it('that asks for a session without a person holds if an earlier event has shown it', async () => {
    const memory = new Memory()
    const routes = [{ on: ['*'], when: { headless: true }, to: ['desk'] }]
    const told = async (seconds: number, env = {}) => {
      const { loaded, deps } = makeWorld({ memory, seconds, config: { routes } })
      const event = { ...eventOf(stop, seconds), ...env }
      return (await prepare(event, { shared: false }, loaded, deps)).entry.trace?.[0]?.verdict
    }
    expect(await told(0)).toBe('not matched')
    expect(await told(1, { isHeadless: true })).toBe('matched')
    expect(await told(2)).toBe('matched')
    expect(await told(3, { isHeadless: false })).toBe('not matched')
  })
})

describe('the kind of an event', () => {
  it('is corrected by earlier events of its session, which the entry explains', async () => {
    const memory = new Memory()
    const config = routeTo('log')
    await prepared(stop, { config, memory })
    const end = { hook_event_name: 'SessionEnd', reason: 'other' }
    const { entry, deliveries } = await prepared(end, { config, memory, seconds: 60 })
    expect(entry).toMatchObject({ kind: 'ended' })
    expect(deliveries).toMatchObject([{ kind: 'ended', urgency: 'low' }])
    expect(entry.trace?.[0]).toEqual({
      ...{ by: 'kind', verdict: 'corrected' },
      because: 'ended: the last turn of the session had ended well',
    })
  })
})

describe('a delivery that is due', () => {
  const judged = (kind: Kind, channel: string, noise: object) => {
    const { loaded } = makeWorld({ config: { noise } })
    return judgeDue({ kind, channel }, loaded.config, at)
  }

  it('is held in quiet hours, unless they do not apply to it', () => {
    expect(judged('done', 'desk', { quietHours })).toMatchObject({ type: 'hold' })
    const off = { quietHours, off: ['quiet-hours'] }
    for (const verdict of [
      judged('permission', 'desk', { quietHours }),
      judged('done', 'log', { quietHours }),
      judged('done', 'desk', {}),
      judged('done', 'desk', off),
    ]) {
      expect(verdict).toEqual({ type: 'send' })
    }
  })
})

describe('a held delivery', () => {
  const end = Date.parse('2026-11-20T10:00:00Z')
  const noise = { quietHours }

  it('becomes one message with others only on a channel that people read', async () => {
    const channelsWithRules = { ...channels, hook: { ...channels.hook, noise: true } }
    const config = { ...routeTo('desk', 'hook'), channels: channelsWithRules, noise }
    const { held, deliveries, entry } = await prepared(stop, { config })
    expect(deliveries).toEqual([])
    expect(held).toMatchObject([
      {
        ...{ project: 'shop', group: expect.stringMatching(/^[0-9a-f]{16}$/) },
        delivery: { channel: 'desk', notBefore: end, expires: 0 },
        reason: expect.stringContaining('quiet hours until'),
      },
      { delivery: { channel: 'hook', notBefore: end } },
    ])
    expect(held[1]).not.toHaveProperty('group')
    expect(entry).toMatchObject({ to: ['desk', 'hook'] })
    expect(entry.trace?.at(-1)).toMatchObject({ by: 'quiet-hours', verdict: 'hold' })
  })

  it('has a group of its own for each channel', async () => {
    const { held } = await prepared(stop, { config: { ...routeTo('desk', 'mail'), noise } })
    const [desk, mail] = held.map(({ group }) => group)
    expect(desk).not.toBe(mail)
    const again = await prepared(stop, { config: { ...routeTo('desk'), noise }, seconds: 60 })
    expect(again.held[0]?.group).toBe(desk)
  })
})

describe('a later step', () => {
  const steps = [{ to: ['desk'] }, { after: '2m', to: ['mail'] }]
  const routes = [{ on: ['*'], steps }]
  const maxAgeMs = 3 * 3600_000

  it('waits from the time of the first step, and expires', async () => {
    const config = { routes, retry: { maxAgeHours: 3 } }
    const { deliveries, held } = await prepared(ask, { config })
    const until = at + 120_000
    expect(deliveries).toMatchObject([{ channel: 'desk' }])
    expect(held).toMatchObject([
      { delivery: { channel: 'mail', notBefore: until, expires: until + maxAgeMs }, earliest: at },
    ])
    expect(held[0]).not.toHaveProperty('group')
    expect(held[0]?.reason).toMatch(/./)
  })

  it('waits from the end of quiet hours if the first step is held until then', async () => {
    const { held } = await prepared(stop, { config: { routes, noise: { quietHours } } })
    const end = Date.parse('2026-11-20T10:00:00Z')
    expect(held).toMatchObject([
      { delivery: { channel: 'desk', notBefore: end } },
      { delivery: { channel: 'mail', notBefore: end + 120_000 }, earliest: end },
    ])
    expect(held[1]?.group).toBeDefined()
  })

  it('that is due in quiet hours waits for their end, unless they do not apply to it', async () => {
    const soon = [{ from: '09:31', to: '10:00', timeZone: 'UTC' }]
    const end = Date.parse('2026-11-20T10:00:00Z')
    const config = { routes, noise: { quietHours: soon } }
    const { held, entry } = await prepared(stop, { config })
    expect(held).toMatchObject([{ delivery: { channel: 'mail', notBefore: end }, earliest: at }])
    expect(entry.trace?.at(-1)).toMatchObject({ by: 'quiet-hours', channel: 'mail' })
    const free = { ...channels, mail: { ...channels.mail, noise: false } }
    const other = await prepared(stop, { config: { ...config, channels: free } })
    expect(other.held).toMatchObject([{ delivery: { notBefore: at + 120_000 } }])
    expect(other.entry.trace?.at(-1)).toMatchObject({ by: 'steps', channel: 'mail' })
  })

  it('is suppressed with the event', async () => {
    const result = await prepared(stop, { config: { routes }, project: { isMuted: () => true } })
    expect(result.held).toEqual([])
    expect(result.suppressed.map(({ channel }) => channel)).toEqual(['desk', 'mail'])
  })
})

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
