import { describe, expect, it, onTestFinished } from 'vitest'
import { aclLines } from '../../src/hub/acl.ts'
import { recordId } from '../../src/hub/record.ts'
import { readJournal } from '../../src/journal/read.ts'
import { makeAuthority } from '../support/authority.ts'
import { hasNamespaces, makeNetwork } from '../support/network.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { type HubProcess, type Machine, makeMachine, startHubProcess } from './_fleet.ts'
import { startStrictReceiver } from './_strict-receiver.ts'

const isFull = process.env.HOOKBELL_FULL === '1'
const [MACHINES, PER_MACHINE, SESSIONS] = [
  3,
  isFull ? Number(process.env.HOOKBELL_SWEEP ?? 10_000) : 60,
  6,
]
const fast = Array.from({ length: 10 }, (_, index) => `fast${index}`)
/** With the pace of Slack. */
const slow = Array.from({ length: 10 }, (_, index) => `slow${index}`)
const all = [...fast, ...slow]

interface Event {
  /** On its machine. */
  id: string
  machine: number
  session: number
  number: number
  channel: string
  isQuestion: boolean
}

const tag = ({ machine, session, number }: Omit<Event, 'id'>) => `${machine}-${session}-${number}`

/** What one machine has to tell, by the ids under which a hub knows it. */
function fill(machine: Machine, index: number): Map<string, Event> {
  const events = Array.from({ length: PER_MACHINE }, (_, number) => {
    const channel = all[(number * 7 + index) % all.length] ?? ''
    const event = { machine: index, session: number % SESSIONS, number, channel }
    const isQuestion = number % 25 === 24
    const tell = isQuestion ? machine.ask : machine.finish
    // What follows in its session would answer a question.
    const session = isQuestion ? `question ${number}` : `s${event.session}`
    const id = tell(channel, session, `#${tag({ ...event, isQuestion })}#`)
    return [recordId([id], channel), { ...event, id, isQuestion }] as const
  })
  return new Map(events)
}

/** What was told, alone or in a summary, in the order in which the hubs said so. */
const toldBy = (hubs: readonly HubProcess[]) =>
  hubs
    .flatMap((hub) => hub.lines())
    .filter(({ state }) => state === 'delivered' || state === 'repeat')
    .sort((a, b) => a.at - b.at)

const tagOf = (body: string) => body.match(/#(\d+-\d+-\d+)#/)?.[1] ?? ''

/** How many events a message tells of. */
const countIn = (body: string) => 1 + Number(body.match(/and (\d+) more/)?.[1] ?? 0)

/** Why a machine had to hand something over again, and how often. */
async function handedOverAgain(machines: readonly Machine[]) {
  const reasons = new Map<string, number>()
  for (const { state } of machines)
    for await (const entry of readJournal(state))
      if (entry.type === 'deferred') reasons.set(entry.reason, (reasons.get(entry.reason) ?? 0) + 1)
  return Object.fromEntries(reasons)
}

/** Where a session is told in another order than the one of its events. Questions may go before others. */
function disorder(told: readonly Event[]): string[] {
  const last = new Map<string, number>()
  return told.flatMap(({ machine, session, channel, number, isQuestion }) => {
    if (isQuestion) return []
    const line = `${machine} ${session} ${channel}`
    const before = last.get(line) ?? -1
    last.set(line, number)
    return number < before ? [`${line}: ${number} after ${before}`] : []
  })
}

/** Questions that waited at a slow destination while more was told than what was under way already. */
function overtaken(lines: ReturnType<typeof toldBy>, events: ReadonlyMap<string, Event>) {
  const alone = lines.filter(({ id, state }) => state === 'delivered' && id.includes('.slow'))
  return alone.flatMap((question) => {
    const { channel, isQuestion } = events.get(question.id) as Event
    if (!isQuestion) return []
    const cameAt = question.at - Number(question.waitedMs)
    const before = alone.filter(({ id, at, ms }) => {
      const other = events.get(id) as Event
      const isBetween = at - Number(ms) > cameAt && at < question.at
      return other.channel === channel && !other.isQuestion && isBetween
    })
    return before.length > 2 ? [`${question.id} after ${before.length} others`] : []
  })
}

describe.skipIf(!hasRedis)('hub: three machines, 20 destinations and two hubs', () => {
  it('lose nothing and keep pace and order', async () => {
    const receiver = await startStrictReceiver({ refuseEvery: isFull ? 40 : 6 })
    const networks = hasNamespaces ? Array.from({ length: MACHINES }, makeNetwork) : []
    const addresses = ['127.0.0.1', ...networks.map(({ here }) => here)]
    const authority = await makeAuthority()
    onTestFinished(() => authority.remove())
    const tls = await authority.issue(...addresses.map((one) => `IP:${one}`))
    const users = aclLines.map((line) => line.replace(/>\w+/, '>secret'))
    const redis = await startRedis({ tls, users, bind: addresses })
    const as = (user: string, address = '127.0.0.1') => ({
      ...{ url: `rediss://${user}@${address}:${redis.port}`, password: 'secret' },
      ca: authority.file,
    })
    const machines = await Promise.all(
      Array.from({ length: MACHINES }, (_, index) =>
        makeMachine(as('machine', networks[index]?.here), all, networks[index]),
      ),
    )
    const events = new Map(machines.flatMap((machine, index) => [...fill(machine, index)]))
    const channels = Object.fromEntries(
      all.map((name) => {
        const url = `${receiver.url}/${name}`
        const webhook = { type: 'webhook', url, allowPrivateNetwork: true }
        return [name, slow.includes(name) ? { type: 'slack', url } : webhook]
      }),
    )
    const hubs = [
      await startHubProcess(as('hub'), channels),
      await startHubProcess(as('hub'), channels),
    ]
    const startedAt = performance.now()
    const drains = await Promise.all(
      machines.map((machine) => machine.drain(isFull ? '50m' : '2m')),
    )
    const handedMs = performance.now() - startedAt
    expect(drains.map(({ exitCode, output }) => `${exitCode} ${output}`)).toEqual(
      machines.map(() => expect.stringMatching(/^0 Nothing is left/)),
    )
    // Of what is missing everything that the hubs said, so that a fault explains itself.
    const missing = () => {
      const told = new Set(toldBy(hubs).map(({ id }) => id))
      const lines = hubs.flatMap((hub) => hub.lines())
      const open = [...events.keys()].filter((id) => !told.has(id)).slice(0, 5)
      return open.map((id) => [id, ...lines.filter((line) => line.id === id)])
    }
    const timeout = isFull ? 1_800_000 : 100_000
    await expect.poll(missing, { timeout, interval: isFull ? 5000 : 500 }).toEqual([])
    const allMs = performance.now() - startedAt

    expect(receiver.tooEarly).toEqual([])
    const told = toldBy(hubs)
    const wanted = (name: string) => [...events.values()].filter(({ channel }) => channel === name)
    for (const name of slow) {
      const counts = receiver.takenAt(name).map(countIn)
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(wanted(name).length)
    }
    const byTag = new Map([...events.values()].map((event) => [tag(event), event]))
    for (const name of fast) {
      const tags = receiver.takenAt(name).map(tagOf)
      expect([...tags].sort()).toEqual(wanted(name).map(tag).sort())
      expect(disorder(tags.map((one) => byTag.get(one) as Event))).toEqual([])
    }
    expect(told).toHaveLength(events.size)
    expect(disorder(told.map(({ id }) => events.get(id) as Event))).toEqual([])
    expect(overtaken(told, events)).toEqual([])
    const perSecond = (ms: number) => Math.round((events.size / ms) * 1000)
    if (isFull)
      console.log(
        `${events.size} handed over in ${Math.round(handedMs / 1000)} s (${perSecond(handedMs)}/s); all told after ${Math.round(allMs / 1000)} s (${perSecond(allMs)}/s); handed over again: ${JSON.stringify(await handedOverAgain(machines))}`,
      )
  })
})
