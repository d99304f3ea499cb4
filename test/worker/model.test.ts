import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { channelsOf, type EventStatus } from '../../src/journal/history.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { isFull } from '../support/runs.ts'
import { hasStrace } from '../support/system-calls.ts'
import { type Action, Machine, receiverModes, type Told } from './_model.ts'

const one = <Name extends Action['do']>(name: Name) => fc.record({ do: fc.constant(name) })
/** A limit for a worker that does not end. */
const MAX_MS = 300_000

const isOn = fc.boolean()
const session = fc.integer({ min: 1, max: 2 })
const told = (name: 'note' | 'ask' | 'answer', max: number) =>
  fc.record({ do: fc.constant(name), session, count: fc.integer({ min: 1, max }) })
const call = fc.integer({ min: 1, max: 40 })
const modes = Object.keys(receiverModes) as (keyof typeof receiverModes)[]
const change = fc.oneof(
  fc.constant('nonsense' as const),
  fc.record({ isQuiet: fc.boolean() }),
  fc.record({ isFileBroken: fc.boolean() }),
  fc.record({ to: fc.constantFrom(['file'], ['file', 'hook'], ['file', 'hook', 'far']) }),
)

const actions: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: told('note', 4) },
  { weight: 4, arbitrary: told('ask', 2) },
  { weight: 2, arbitrary: told('answer', 1) },
  fc.oneof(one('nonsense'), one('unrouted')),
  { weight: 6, arbitrary: one('work') },
  { weight: 5, arbitrary: fc.oneof(one('start'), one('stop'), one('beside')) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('receiver' as const), mode: fc.constantFrom(...modes) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('hub' as const), isUp: isOn }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('configure' as const), change }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('mute' as const, 'hold' as const), isOn }),
  },
  { weight: 4, arbitrary: fc.oneof(one('flush'), one('purge'), one('full')) },
) as fc.Arbitrary<Action>

const strikes = fc.record({ do: fc.constantFrom('kill' as const, 'fill' as const), call })

/** Why an event may be told to nobody, or not on a channel. */
function mayBeSuppressed({ told, ever }: Machine, event: Told, reason: string): boolean {
  const later = told
    .slice(told.indexOf(event) + 1)
    .filter((other) => other.session === event.session)
  if (/^Muted/.test(reason)) return ever.has('mute')
  if (reason === 'purged by hand') return ever.has('purge')
  if (/^(answered|a person went on) /.test(reason))
    return later.some(({ kind }) => kind === 'answer')
  return /^no route/.test(reason) && ['answer', 'unrouted'].includes(event.kind)
}

/** The model: what must be true whenever no worker runs. Accepted = delivered + suppressed + dead + waiting. */
function whatIsWrong(machine: Machine, now: Seen): unknown[] {
  const { statuses, arrivals, spool } = now
  const wrong: unknown[] = []
  const must = (isTrue: boolean, ...what: unknown[]) => isTrue || wrong.push(what)
  must(statuses.size === machine.told.length, 'one status for each event')
  for (const event of machine.told) {
    const { id } = event
    const status = statuses.get(id)
    // It was set aside, since workers crashed while they had it.
    if (machine.uncertain.has(id) && spool.dead.includes(id)) continue
    const channels = status ? channelsOf(status) : []
    for (const channel of channels) {
      const { state = 'open', detail = '' } = status?.channels[channel] ?? {}
      const count = arrivals.filter((one) => one.id === id && one.channel === channel).length
      const is = (...states: string[]) => states.includes(state)
      const about = [event, channel, state, detail, count]
      if (is('delivered')) must(count > 0, 'delivered, but nothing came', ...about)
      if (!machine.uncertain.has(id))
        must(count === (is('delivered') ? 1 : 0), 'twice, or unrecorded', ...about)
      if (is('open', 'deferred', 'held'))
        must(
          [id, `${id}.${channel}`].some((name) => spool.waiting.includes(name)),
          'waits, but is lost',
          ...about,
        )
      if (is('exhausted'))
        must(spool.dead.includes(`${id}.${channel}`), 'dead, but is lost', ...about)
      if (is('suppressed')) must(mayBeSuppressed(machine, event, detail), 'silent', ...about)
    }
    if (channels.length > 0) continue
    const { outcome = 'lost', reason = '' } = status ?? {}
    const about = [event, outcome, reason]
    if (outcome === 'waiting') must(spool.waiting.includes(id), 'waits, but is lost', ...about)
    else if (outcome === 'dead')
      must(spool.dead.includes(id) && event.kind === 'nonsense', 'dead', ...about)
    else must(mayBeSuppressed(machine, event, reason), 'told to nobody', ...about)
  }
  return wrong
}

interface Seen {
  statuses: ReadonlyMap<string, EventStatus>
  arrivals: readonly { channel: string; id: string }[]
  spool: ReturnType<Machine['spool']>
}

/** What came although it must not, since no worker ran last. */
function whatCameWrongly({ told, over, purged, inForce }: Machine, came: Seen['arrivals']) {
  const kindOf = new Map(told.map(({ id, kind }) => [id, kind]))
  return came.filter(({ id, channel }) => {
    if (purged.has(id) && over.has(id)) return true
    if (inForce.has('hold')) return true
    if (channel === 'file') return false
    return (
      over.has(id) ||
      inForce.has('mute') ||
      (inForce.has('quiet') && !inForce.has('full') && kindOf.get(id) === 'note')
    )
  })
}

/** Notes of one session that were neither held nor tried again, and came after a later one. */
function whatOvertook(
  machine: Machine,
  arrivals: Seen['arrivals'],
  types: ReadonlyMap<string, string[]>,
) {
  const isSmooth = ({ id, kind }: Told) =>
    kind === 'note' &&
    !machine.unordered.has(id) &&
    !types.get(id)?.some((type) => ['deferred', 'held', 'exhausted'].includes(type))
  const place = (id: string, channel: string) =>
    arrivals.findIndex((one) => one.id === id && one.channel === channel)
  const smooth = machine.told.filter(isSmooth)
  return ['file', 'hook'].flatMap((channel) =>
    smooth.flatMap((first, index) =>
      smooth.slice(index + 1).filter((later) => {
        const [one, two] = [place(first.id, channel), place(later.id, channel)]
        return first.session === later.session && one >= 0 && two >= 0 && two < one
      }),
    ),
  )
}

async function playAll(
  all: readonly Action[],
  redis: Awaited<ReturnType<typeof startRedis>> | undefined,
) {
  const machine = await new Machine(redis).open()
  let before: Seen['arrivals'] = []
  const check = async () => {
    const known = await machine.world.statuses()
    const rows = known.filter(({ client }) => client !== 'hookbell')
    const statuses = new Map(rows.map((status) => [status.id, status]))
    const arrivals = await machine.arrivals()
    expect(whatIsWrong(machine, { statuses, arrivals, spool: machine.spool() })).toEqual([])
    const came = arrivals.filter((one) => !before.includes(one))
    expect(whatCameWrongly(machine, came)).toEqual([])
    before = arrivals
    expect(whatOvertook(machine, arrivals, await machine.entriesOf())).toEqual([])
    return statuses
  }
  try {
    for (const action of all) {
      if (await machine.play(action)) machine.rest(await check())
    }
    await machine.repair()
    const statuses = await check()
    expect([...statuses.values()].filter(({ outcome }) => outcome === 'waiting')).toEqual([])
    expect(machine.spool().waiting).toEqual([])
  } finally {
    await machine.close()
  }
}

describe('whatever happens', () => {
  it('each event is delivered, suppressed, dead or waiting', async () => {
    const redis = hasRedis ? await startRedis() : undefined
    await fc.assert(
      fc.asyncProperty(fc.array(actions, { minLength: 5, maxLength: 25 }), (all) =>
        playAll(all, redis),
      ),
      { numRuns: isFull ? 1000 : 40, timeout: MAX_MS },
    )
  })

  it.skipIf(!hasStrace)(
    'the same holds after a kill or a full disk at any system call',
    async () => {
      const redis = hasRedis ? await startRedis() : undefined
      const all = fc.array(
        fc.oneof({ weight: 6, arbitrary: actions }, { weight: 1, arbitrary: strikes }),
        {
          minLength: 5,
          maxLength: 20,
        },
      )
      await fc.assert(
        fc.asyncProperty(all, strikes, (row, strike) => playAll([...row, strike as Action], redis)),
        { numRuns: isFull ? 300 : 10, timeout: MAX_MS },
      )
    },
  )
})
