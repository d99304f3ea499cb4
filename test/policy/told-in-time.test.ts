import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../support/runs.ts'
import { runTimeline } from '../support/timeline.ts'
import { AT_WORK_MS, type Session, sessions, type Unseen } from './_session.ts'

const MINUTE_MS = 60_000
/** Within this time everything is told that a person has not seen. */
const LIMIT_MS = 10 * MINUTE_MS

/** What a channel gets: everything, or only what waits for a person. */
const configs = [
  {},
  {
    channels: { desktop: { type: 'desktop' }, phone: { type: 'desktop' } },
    routes: [
      { on: ['permission', 'done', 'failed'], to: ['desktop'] },
      { on: ['waiting'], to: ['phone'] },
    ],
  },
]

type Ping = ReturnType<typeof runTimeline>['pings'][number]

/** Whether the agent goes on: that is what the person waits for. */
function isAwaited({ goesOn, wakesAt }: Unseen): boolean {
  return goesOn !== undefined || wakesAt !== undefined
}

/** The latest time at which the end of a turn is told, or something later that tells of its session. */
function deadlineOf(unseen: Unseen, session: Session): number {
  const { at, asks, isFailure, wakesAt = 0, goesOn } = unseen
  const inTime = (one: Unseen, until: number) => one.at > at && one.at <= until
  if (asks) {
    const other = session.unseen.find(
      (one) => (one.asks || isFailure) && inTime(one, at + MINUTE_MS),
    )
    return other ? deadlineOf(other, session) : at + MINUTE_MS
  }
  if (goesOn === 'at once') return at + AT_WORK_MS
  const dueAt = Math.max(at + LIMIT_MS, wakesAt + 2 * MINUTE_MS)
  const own = session.own.find(({ from, to }) => to > at && from <= dueAt)
  const ownTo = own?.to ?? 0
  const next = session.unseen.find(
    (one) => !one.asks && inTime(one, isAwaited(one) ? Math.max(dueAt, ownTo) : ownTo),
  )
  const isFollowed = next !== undefined && (isAwaited(unseen) || isAwaited(next))
  if (isFollowed) return Math.max(dueAt, deadlineOf(next, session))
  if (!own || !isAwaited(unseen)) return dueAt
  return Math.max(dueAt, Math.min(own.to, own.lastAt + AT_WORK_MS) + LIMIT_MS)
}

function isTold(unseen: Unseen, until: number, pings: readonly Ping[], session: Session) {
  const { id, at, asks, isFailure } = unseen
  const tells = (one: Session['events'][number]) =>
    !asks || one.asks === true || (isFailure && one.kind === 'done')
  const later = new Set(
    session.events
      .filter((one) => one.id === id || (one.at >= at && tells(one)))
      .map((one) => one.id),
  )
  return pings.some(
    (ping) =>
      ping.channel === 'desktop' && ping.at <= until && ping.events.some((one) => later.has(one)),
  )
}

/** The session as it went, for a reader of a failed test. */
function inWords({ client, events }: Session, pings: readonly Ping[]): string {
  const [first] = events
  const seconds = (at: number) => Math.round((at - (first?.at ?? 0)) / 1000)
  const lines = events.map(({ id, name, means, at, asks, ...event }) => {
    const { backgroundTasks: tasks, backgroundAgents: agents = 0, wakesAt } = event
    const facts = { asks, tasks, agents, ...(wakesAt && { wakes: seconds(wakesAt) }) }
    return `${seconds(at)} ${id} ${name} ${means} ${JSON.stringify(facts)}`
  })
  const told = pings.map(({ at, channel, events: ids }) => `${seconds(at)} ${channel} ${ids}`)
  return [client, ...lines, 'told:', ...told].join('\n')
}

describe('whatever a person has not seen', () => {
  it('is told within minutes', () => {
    fc.assert(
      fc.property(sessions, fc.constantFrom(...configs), (session, config) => {
        const events = [...session.events, ...session.elsewhere]
        const { pings } = runTimeline(
          events.sort((one, other) => one.at - other.at),
          { config },
        )
        for (const unseen of session.unseen) {
          const until = deadlineOf(unseen, session)
          const isBack = session.personAt.some((at) => at > unseen.at && at <= until)
          if (isBack || isTold(unseen, until, pings, session)) continue
          expect.fail(`${unseen.id} was not told: ${inWords(session, pings)}`)
        }
      }),
      { numRuns: runs(5000) },
    )
  })

  it('is all that is told of turns and questions, once each', () => {
    fc.assert(
      fc.property(sessions, ({ events, ...session }) => {
        const { pings } = runTimeline(events)
        const told = pings
          .filter(({ kind }) => kind === 'done' || kind === 'permission')
          .flatMap((ping) => ping.events)
        const unseen = session.unseen.map(({ id }) => id)
        const others = told.filter((id) => !unseen.includes(id))
        const why = inWords({ ...session, events }, pings)
        expect(others, why).toEqual([])
        expect(told, why).toEqual([...new Set(told)])
      }),
      { numRuns: runs(2000) },
    )
  })
})
