import { asTyped } from '../../cli/how-to-call.ts'
import { ago, ahead, paint, table } from '../../cli/output.ts'
import { isHubMachine } from '../../config/hub-machine.ts'
import { frontDoorIn } from '../../config/paths.ts'
import { type ChannelStatus, isFailure, isWaitingToSend } from '../../journal/history.ts'
import { unmuteCommand } from '../../policy/mutes.ts'
import { escapeControls, showPath } from '../../text/clean.ts'
import { counted } from '../../text/counted.ts'
import { describeClient } from './clients.ts'
import type { HubRow } from './hub-row.ts'
import { LATEST, type Status } from './read.ts'

/** The status as lines for a person. */
export function describeStatus(status: Status): string {
  const { accepted, config, channels } = status
  const unseen = accepted > LATEST ? `none of the last ${LATEST} events` : 'no event yet'
  const lines = [
    ['events', describeEvents(status)],
    ...waitingLines(status),
    ['worker', describeWorker(status)],
    ['config', config.source === 'file' ? showPath(config.path) : `${config.source} settings`],
    ['hook', describeDoor(status)],
    ...status.clients.map((client) => [client.client, describeClient(client, unseen)]),
    ...(status.hub === undefined ? [] : [['hub', describeHub(status.hub)]]),
    ...channels.map((channel) => [channel.name, describeChannel(channel)]),
  ]
  // The row of a client says its first problem already.
  const said = status.clients.map(({ title, problems }) => `${title}: ${problems[0]}`)
  const problems = status.problems
    .filter((problem) => !said.includes(problem))
    .map((problem) => `${paint('red', 'x')} ${asTyped(escapeControls(problem))}`)
  return [table(lines.map((cells) => cells.map(asTyped))), ...problems].join('\n')
}

/** How many came, and what became of them: what did not happen is left out. */
function describeEvents({ accepted, lastEvent, ...counts }: Status): string {
  if (accepted === 0) return 'none yet'
  const outcomes = (['delivered', 'suppressed', 'undelivered', 'dead', 'waiting'] as const)
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome]} ${outcome}`)
  const last = lastEvent === null ? '' : `; the last ${ago(lastEvent)}`
  return `${accepted}: ${outcomes.join(', ')}${last}`
}

/** Without a worker, no failed delivery is tried again when it is due. */
function describeWorker({ worker, parked, onHold }: Status): string {
  if (worker !== null) return `process ${worker}`
  const how = parked.failed > 0 && !onHold ? ', or to try again: hookbell flush' : ''
  return `not running (starts with the next event${how})`
}

function describeDoor({ installed, state, hub, channels }: Status): string {
  if (installed) return showPath(frontDoorIn(state))
  const types = channels.map(({ type }) => type)
  return isHubMachine(hub !== undefined, types)
    ? 'not installed; a hub needs no hooks'
    : 'not installed: hookbell init'
}

function describeChannel({ name, type, isReachable, last }: Status['channels'][number]): string {
  const what = last ? `${painted(last.state)}${whenOf(last)}: ${last.detail}` : 'nothing sent yet'
  const reach = isReachable ? '' : '; no route names it: no event reaches it'
  const kind = type === name ? '' : `${type || 'not usable'}; `
  return `${kind}${what}${reach}`
}

function whenOf({ state, at }: Pick<ChannelStatus, 'state' | 'at'>): string {
  return isWaitingToSend(state) ? `, next ${ahead(at)}` : ` ${ago(at)}`
}

function painted(state: string): string {
  if (state === 'delivered') return paint('green', state)
  return paint(isFailure(state) ? 'red' : 'yellow', state)
}

/** Rows about what is silenced and what waits; none if nothing is. */
function waitingLines({ onHold, mutes, oldestWaiting, parked }: Status): string[][] {
  const { failed, held, nextAt } = parked
  const facts = [
    ...(failed > 0 ? [`${deliveries(failed)} to be tried again`] : []),
    ...(held > 0 ? [`${deliveries(held)} held back`] : []),
    ...(nextAt === null ? [] : [`the next ${ahead(nextAt)}`]),
    ...(oldestWaiting === null ? [] : [`the oldest came ${ago(oldestWaiting)}`]),
  ]
  return [
    ...(onHold ? [['on hold', 'nothing is sent until: hookbell resume']] : []),
    ...mutes.map((one) => [
      'muted',
      escapeControls(`${one.extent}; take it back with: ${unmuteCommand(one)}`),
    ]),
    ...(facts.length === 0 ? [] : [['waiting', facts.join(', ')]]),
  ]
}

function deliveries(count: number): string {
  return counted(count, 'delivery', 'deliveries')
}

function describeHub({ reach, waiting, lastHandedOver }: HubRow): string {
  const last =
    lastHandedOver === null ? 'nothing handed over yet' : `last handed over ${ago(lastHandedOver)}`
  return `${reach}; ${waiting} waiting; ${last}`
}
