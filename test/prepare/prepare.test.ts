import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { deliverySchema } from '../../src/delivery.ts'
import { Memory } from '../../src/policy/memory.ts'
import { prepareAgain, sessionHash } from '../../src/prepare/prepare.ts'
import { makeHome, transcriptText } from '../context/_world.ts'
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
  type World,
} from './_world.ts'

/** The end of a turn of codex, from a recorded transcript in which a prompt was queued during the first turn. */
function turnOfCodex(endedAt: string) {
  const { home } = makeHome()
  vi.stubEnv('HOME', home)
  onTestFinished(() => void vi.unstubAllEnvs())
  const path = join(home, '.codex/sessions/s1.jsonl')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, transcriptText('codex.queued'))
  const seconds = (Date.parse(endedAt) - at) / 1000
  return { done: { ...stop, transcript_path: path }, seconds }
}

describe('a prepared event', () => {
  it('has a delivery for each channel, and an entry with the facts', async () => {
    const { entry, deliveries, held, suppressed, ...more } = await prepared(ask, {
      config: routeTo('desk', 'log'),
    })
    const common = {
      events: ['e0'],
      host: 'workstation',
      session: sessionHash({ client: 'claude', sessionId: 's1', id: 'e0' }),
      kind: 'permission',
      urgency: 'critical',
      message: expect.objectContaining({
        title: 'Claude · shop: permission needed',
        kind: 'permission',
      }),
      questions: [
        {
          ...{ id: 'e0', at, title: 'Claude · shop: permission needed' },
          text: expect.stringContaining('npm publish'),
        },
      ],
      sessionEnv: { SSH_TTY: '/dev/pts/1' },
      ...{ acceptedAt: at, notBefore: 0, expires: 0, attempts: 0, firstTriedAt: 0 },
    }
    expect(deliveries).toEqual([
      { id: expect.any(String), channel: 'desk', ...common },
      { id: expect.any(String), channel: 'log', ...common },
    ])
    expect(new Set(deliveries.map(({ id }) => id)).size).toBe(2)
    expect({ held, suppressed, ...more }).toEqual({ held: [], suppressed: [] })
    expect(entry).toEqual({
      ...{ at, id: 'e0', type: 'accepted', acceptedAt: at, event: 'PermissionRequest' },
      ...{ kind: 'permission', client: 'claude', sessionId: 's1', project: 'shop' },
      title: 'Claude · shop: permission needed',
      text: expect.stringContaining('npm publish'),
      facts: expect.objectContaining({ tool: 'Bash', branch: 'main', isOverSsh: true }),
      to: ['desk', 'log'],
      people: ['desk'],
      trace: [
        { by: 'route 1', verdict: 'matched', because: expect.any(String) },
        ...['desk', 'log'].map((channel) => ({
          ...{ by: 'policies', channel, verdict: 'send' },
          because: 'no rule suppresses or holds it',
        })),
      ],
    })
  })

  it.each<[string, object, object]>([
    ['is held', { noise: { minSeconds: 0 } }, { means: 'StopQueued', held: ['desk'] }],
    ['is sent if the rule is off', { noise: { off: ['goes-on'] } }, { means: 'Stop' }],
    [
      'is sent if no channel uses the rule',
      { channels: { desk: { type: 'desktop', noise: false } } },
      { means: 'Stop' },
    ],
  ])('of a turn that ended with a queued prompt %s', async (_, config, expected) => {
    const { done, seconds } = turnOfCodex('2026-11-26T22:14:37.850Z')
    const { entry, held } = await prepared(done, { config, seconds, client: 'codex' })
    const channels = held.map(({ delivery }) => delivery.channel)
    expect({ means: entry.facts?.means, held: channels }).toEqual({ held: [], ...expected })
  })

  it('that asks nothing has no questions, and no list of channels for people', async () => {
    const { entry, deliveries } = await prepared(stop)
    expect(deliveries[0]).not.toHaveProperty('questions')
    expect(entry).toMatchObject({ kind: 'done', to: ['desk'] })
    expect(entry).not.toHaveProperty('people')
  })

  it('that goes nowhere has the reason of its routes', async () => {
    const result = await prepared(stop, { config: { routes: [{ on: ['failed'], to: ['desk'] }] } })
    expect(result).toMatchObject({ deliveries: [], held: [], suppressed: [] })
    expect(result.reason).toMatch(/./)
    expect(result.entry).not.toHaveProperty('to')
  })

  it('that all channels suppress has each of the reasons once', async () => {
    const mute = { root: '/srv/shop', isMuted: () => true }
    const config = routeTo('desk', 'mail')
    const { reason, suppressed, entry } = await prepared(stop, { config, project: mute })
    expect(reason).toBe('muted by .hookbell.json in /srv/shop')
    expect(suppressed).toEqual([
      { channel: 'desk', reason },
      { channel: 'mail', reason },
    ])
    expect(entry.trace?.at(-1)).toMatchObject({
      channel: 'mail',
      verdict: 'suppress',
      because: reason,
    })
  })

  it('that only some channels suppress has no reason', async () => {
    const config = { ...routeTo('desk', 'log'), noise: { minSeconds: 60 } }
    const turn = { ...stop, duration_ms: 5000 }
    const memory = new Memory()
    await prepared(prompt, { config, memory })
    const result = await prepared(turn, { config, memory, seconds: 5 })
    expect(result.suppressed).toEqual([{ channel: 'desk', reason: expect.stringMatching(/./) }])
    expect(result.deliveries.map(({ channel }) => channel)).toEqual(['log'])
    expect(result.entry.to).toEqual(['log'])
    expect(result).not.toHaveProperty('reason')
  })

  it('keeps secrets out of the messages, the entry and the memory', async () => {
    const memory = new Memory()
    const secret = 'swordfish-1234'
    const payload = { ...stop, last_assistant_message: `The key is ${secret}`, reason: secret }
    const { entry, deliveries } = await prepared(payload, { secrets: [secret], memory })
    expect(deliveries[0]?.message.body).toContain('The key is')
    expect(JSON.stringify([deliveries, entry, memory.state])).not.toContain(secret)
  })

  it('has deliveries that are the same after they were written as JSON and read', async () => {
    const config = { routes: [{ on: ['*'], to: ['desk', 'hook'] }], noise: { quietHours } }
    const [asked, ended] = [await prepared(ask, { config }), await prepared(stop, { config })]
    const all = [...asked.deliveries, ...ended.held.map(({ delivery }) => delivery)]
    expect(all.length).toBeGreaterThan(2)
    for (const delivery of all) {
      const read = deliverySchema.parse(JSON.parse(JSON.stringify(delivery)))
      expect(read).toStrictEqual(delivery)
    }
  })

  it('has text without Markdown', async () => {
    const marked = { ...stop, last_assistant_message: 'It is **done**.' }
    const { entry, deliveries } = await prepared(marked)
    expect([entry.text, deliveries[0]?.message.body]).toEqual(['It is done.', 'It is done.'])
  })

  it('keeps the text out of the entry if the journal must not have it', async () => {
    const config = { journal: { text: false } }
    const failed = { hook_event_name: 'StopFailure', error: 'It is done. No credit' }
    for (const payload of [stop, failed]) {
      expect(JSON.stringify((await prepared(payload, { config })).entry)).not.toContain('is done')
      expect(JSON.stringify((await prepared(payload)).entry)).toContain('is done')
    }
    const { entry } = await prepared(failed)
    expect(entry.facts).toMatchObject({ failureReason: 'It is done. No credit' })
  })

  it('gives a channel no more of a question than it may have', async () => {
    const minimal = { ...channels.desk, clearance: 'minimal' }
    const config = { ...routeTo('desk'), channels: { ...channels, desk: minimal } }
    const { deliveries } = await prepared(ask, { config })
    expect(JSON.stringify(deliveries)).not.toContain('npm publish')
    expect(deliveries[0]?.questions?.[0]?.text).toMatch(/./)
  })

  it('gives no text of the agent to a channel that no longer exists', async () => {
    const { deliveries } = await prepared(ask, {}, { channel: 'gone' })
    expect(deliveries).toHaveLength(1)
    expect(JSON.stringify(deliveries)).not.toContain('npm publish')
  })

  it.each(['minimal', 'gone'])(
    'gives a channel (%s) the full text of what hookbell itself reports',
    async (channel) => {
      const minimal = { ...channels.desk, clearance: 'minimal' }
      const config = { ...routeTo('desk'), channels: { ...channels, minimal } }
      const report = { hook_event_name: 'StopFailure', message: 'The file is broken' }
      const bodyOf = async (client: string) => {
        const { deliveries } = await prepared(report, { config, client }, { channel })
        return deliveries[0]?.message.body
      }
      expect(await bodyOf('hookbell')).toBe('The file is broken')
      expect(await bodyOf('claude')).not.toContain('broken')
    },
  )

  it('has the markup of each channel, and the name of the machine for a reader elsewhere', async () => {
    const slack = { type: 'slack', url: 'https://hooks.slack.test/x' }
    const config = { ...routeTo('desk', 'slack'), channels: { ...channels, slack } }
    const { deliveries } = await prepared(ask, { config })
    const [desk, away] = deliveries.map(({ message }) => message)
    expect([desk?.markup, desk?.origin?.host]).toEqual(['', ''])
    expect([away?.markup, away?.origin?.host]).toEqual([expect.stringMatching(/./), 'workstation'])
  })

  it('names the problems of its payload and of the templates', async () => {
    const config = { routes: [{ on: ['*'], to: ['desk'], template: 'gone' }] }
    const { entry } = await prepared({ ...stop, cwd: 5 }, { config })
    expect(entry.problems).toEqual([
      expect.stringContaining('cwd'),
      expect.stringContaining('gone'),
    ])
    expect((await prepared(stop)).entry).not.toHaveProperty('problems')
  })

  it('is remembered for the events after it', async () => {
    const memory = new Memory()
    await prepared(prompt, { memory })
    expect(memory.session({ client: 'claude', sessionId: 's1' })).toBeDefined()
  })
})

describe('a delivery that is prepared again', () => {
  it('is the same, with the kind that was found at first', async () => {
    const secrets = ['swordfish-1234']
    const world: World = { project: { label: 'Bank' }, secrets }
    const routes = [{ on: ['*'], to: ['desk'], template: 'short' }]
    const marked = { ...stop, last_assistant_message: 'The **key** is swordfish-1234' }
    for (const payload of [ask, marked]) {
      const { deliveries, entry } = await prepared(payload, { ...world, config: { routes } })
      const [first] = deliveries
      if (!first) throw new Error('no delivery')
      const { loaded, deps } = makeWorld({ ...world, config: { routes } })
      const { kind, channel, urgency, template } = first
      const { durationMs } = entry.facts ?? {}
      const addressed = { kind, channel, urgency, template, durationMs }
      expect(await prepareAgain(eventOf(payload), addressed, loaded, deps)).toEqual(first)
    }
    const { loaded, deps } = makeWorld(world)
    const failed = { kind: 'failed', channel: 'desk', urgency: 'low' } as const
    const unknown = { ...failed, durationMs: undefined }
    expect(await prepareAgain(eventOf(stop), unknown, loaded, deps)).toMatchObject({
      ...failed,
      message: { kind: 'failed', title: 'Claude · Bank (shop): failed' },
    })
  })

  it('has the duration that was found at first, which the memory may not tell any more', async () => {
    const { loaded, deps } = makeWorld({})
    const addressed = { kind: 'done', channel: 'desk', urgency: 'normal' } as const
    const lengths = { durationMs: 7_260_000, waitingMs: 6_900_000 }
    const { message } = await prepareAgain(
      eventOf(stop),
      { ...addressed, ...lengths },
      loaded,
      deps,
    )
    expect(message.title).toBe(
      'Claude · shop: done in 2 h 1 min (up to 1 h 55 min of it waiting for you)',
    )
  })
})

it('a delivery that is made again does not wait for a prompt that may follow', async () => {
  const { done, seconds } = turnOfCodex('2026-11-26T22:14:44.111Z')
  const { loaded, deps } = makeWorld({ seconds })
  let looks = 0
  const now = () => {
    looks += 1
    return deps.now()
  }
  const addressed = { kind: 'done', channel: 'desk', urgency: 'normal', durationMs: 6000 } as const
  const event = eventOf(done, seconds, 'codex')
  const { message } = await prepareAgain(event, addressed, loaded, { ...deps, now })
  expect(message.title).toBe('Codex · shop: done in 6 s')
  expect(looks).toBe(0)
})

describe('the key of a session', () => {
  it('is shared by its events only', () => {
    const key = (client: string, sessionId: string, id: string) =>
      sessionHash({ client, sessionId, id })
    expect(key('droid', 's1', 'e1')).toBe(key('droid', 's1', 'e2'))
    expect(key('droid', 's1', 'e1')).toMatch(/^[0-9a-f]{16}$/)
    const others = [key('droid', 's1', 'e1'), key('droid', 's2', 'e1'), key('qwen', 's1', 'e1')]
    expect(new Set([...others, key('droid', '', 'e1'), key('droid', '', 'e2')]).size).toBe(5)
  })
})
