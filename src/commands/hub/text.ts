import { ago, ahead, table } from '../../cli/output.ts'
import type { waitingSessions } from '../../hub-server/open-questions.ts'
import type { hubStatus } from '../../hub-server/status.ts'
import type { Whereabouts } from '../../hub-server/why.ts'
import { cleanText, oneLine } from '../../text/clean.ts'
import { formatDuration } from '../../text/duration.ts'
import { formatSecond } from '../../text/local-time.ts'

export type HubStatus = Awaited<ReturnType<typeof hubStatus>>
export type WaitingSession = Awaited<ReturnType<typeof waitingSessions>>[number]

export function statusText(status: HubStatus): string {
  const { inbox, counts, lastRefused, destinations } = status
  const ended = Object.entries(counts).map(([state, count]) => `${count} ${state}`)
  const refused = lastRefused ? [`refused last ${ago(lastRefused.at)}: ${lastRefused.why}`] : []
  return [
    table([
      ['inbox', `${inbox} waiting`],
      ['ended', ended.join(', ') || 'nothing yet'],
    ]),
    ...standstills(status),
    ...refused,
    table(destinations.map((one) => [channelsOf(one), ...destinationCells(one)])),
    ...destinations.flatMap((one) =>
      one.deadBecause.map(({ reason, count }) => `${channelsOf(one)}: ${count} dead: ${reason}`),
    ),
  ].join('\n')
}

/** What keeps messages from being sent, besides those before them in the queue; one line each. */
export function standstills({ isRunning, isShut, destinations }: HubStatus): string[] {
  const failures = destinations.flatMap(({ lastFailure, ...one }) =>
    lastFailure
      ? [
          `${channelsOf(one)}: attempt ${lastFailure.attempt} failed: ${cleanText(lastFailure.reason)}`,
        ]
      : [],
  )
  return [
    ...(isRunning ? [] : ['no hub is running: start hookbell hub']),
    ...(isShut ? ['Redis is almost full: machines are turned away, and keep their messages'] : []),
    ...failures,
  ]
}

/** A destination may still hold messages of channels that were removed from the configuration. */
export function channelsOf({
  channels,
}: Pick<HubStatus['destinations'][number], 'channels'>): string {
  return channels.join(', ') || 'removed channels'
}

function destinationCells(one: HubStatus['destinations'][number]): string[] {
  const { waiting, questions, active, endedInLastHour, dead, oldest, restMs } = one
  return [
    `${waiting} waiting`,
    `${questions} questions`,
    `${active} under way`,
    `${endedInLastHour} in the last hour`,
    `${dead} dead`,
    oldest === null ? '' : `oldest ${ago(oldest)}`,
    restMs > 1000 ? `paused for ${formatDuration(restMs)}` : '',
  ]
}

/** Hosts and texts come from machines and are not trusted, so each becomes one clean line. */
export function sessionsText(sessions: readonly WaitingSession[], now: number): string {
  if (sessions.length === 0) return 'Nobody waits'
  return table(sessions.map((one) => sessionCells(one, now)))
}

export function sessionCells(one: WaitingSession, now: number): string[] {
  const { host, project, label, kind, title, text, since, more } = one
  const what = oneLine(text || title) + (more > 0 ? ` and ${more} more` : '')
  return [
    formatDuration(Math.max(0, now - since)),
    oneLine(host),
    oneLine(project),
    oneLine(label),
    kind,
    what,
  ]
}

const inWords = {
  listed: 'handed over; no hub has taken it in yet: does hookbell hub run?',
  waiting: 'waits for its turn',
  active: 'is being sent',
  dead: 'dead',
  delivered: 'delivered',
  expired: 'not sent',
  answered: 'not sent',
  dropped: 'dropped',
  unknown: 'not known here: not handed over, refused (hookbell hub status), or more than a day ago',
} satisfies Record<Whereabouts['state'], string>

export function whyText(all: readonly Whereabouts[]): string {
  return all
    .map(({ id, state, at, host, title, detail, summary, lastFailure }) => {
      const lines = [
        ['', title === undefined ? '' : `${oneLine(title)}, of ${oneLine(host ?? '')}`],
      ]
      if (lastFailure) {
        const { attempt, reason, until } = lastFailure
        const next = state === 'waiting' ? `; next ${ahead(until)}` : ''
        lines.push([formatSecond(lastFailure.at), `attempt ${attempt}: ${reason}${next}`])
      }
      const how = [inWords[state], summary && `in the message ${summary}`].filter(Boolean).join(' ')
      lines.push([at === undefined ? 'now' : formatSecond(at), detail ? `${how}: ${detail}` : how])
      const shown = lines
        .filter(([, text]) => text)
        .map(([when = '', text = '']) => [`  ${when}`, cleanText(text)])
      return `${oneLine(id)}\n${table(shown)}`
    })
    .join('\n\n')
}
