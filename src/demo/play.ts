import { readFile } from 'node:fs/promises'
import { endWorker } from '../install/remove-state.ts'
import {
  type ChannelStatus,
  EventHistory,
  type EventStatus,
  type Outcome,
} from '../journal/history.ts'
import { readJournal } from '../journal/read.ts'
import { lockHolder } from '../spool/lock/lock.ts'
import { livenessOf } from '../spool/lock/owner.ts'
import { startReceivers } from './receivers.ts'
import { buildStage, registerHooks, runHook, type Stage } from './stage.ts'
import { type Scene, story } from './story.ts'

/** How long no worker may run while an event waits: its first start takes its time, above all on a busy machine. */
const PATIENCE_MS = 60_000

export interface Act {
  says: string
  event: string
  waitedMs: number
  exitCode: number | null
  output: string
  kind: string
  outcome: Outcome
  /** Why nothing was sent; '' otherwise. */
  reason: string
  /** What each channel received, as a person sees it. */
  received: { [channel: string]: string }
  /** How often it was sent to a channel that was down at first. */
  attempts: { [channel: string]: number }
}

export interface Play {
  command: string
  settings: string
  acts: Act[]
  /** Why there is no desktop here, whose messages only the phone shows; '' if there is one. */
  noDesktop: string
}

/**
 * Plays each scene through the whole path: registered command line, spool, worker, every channel.
 * @throws the reason of `signal` after the scene that it interrupts: no worker is just starting then
 */
export async function play(signal: AbortSignal): Promise<Play> {
  const receivers = await startReceivers()
  const stage = await buildStage(receivers)
  try {
    const command = await registerHooks(stage)
    const settings = await readFile(stage.settingsFile, 'utf8')
    const acts: Act[] = []
    let noDesktop = ''
    for (const scene of story(stage.project, stage.transcript)) {
      signal.throwIfAborted()
      const { act, desk } = await playScene(scene, command, stage, receivers)
      acts.push(act)
      if (desk?.state === 'unavailable') noDesktop = desk.detail
    }
    return { command, settings, acts, noDesktop }
  } finally {
    receivers.close()
    // So that nothing writes into the folder while it is removed.
    await endWorker(stage.stateDir)
    await stage.remove()
  }
}

type Receivers = Awaited<ReturnType<typeof startReceivers>>

async function playScene(
  { says, payload, teamIsDown, answers }: Scene,
  command: string,
  stage: Stage,
  receivers: Receivers,
): Promise<{ act: Act; desk: ChannelStatus | undefined }> {
  const { slack, phone, mails } = receivers
  const seen = new Set((await readHistory(stage)).keys())
  const deleted = receivers.deleted
  receivers.slackIsDown = teamIsDown === true
  const hooked = await runHook(command, payload, stage)
  const status = await settled(stage, seen, ({ team }) => {
    if (team?.state === 'deferred') receivers.slackIsDown = false
  })
  const received: Act['received'] = {}
  const attempts: Act['attempts'] = {}
  for (const channel of ['desk', 'phone', 'team', 'mail', 'audit']) {
    const { state, detail, attempts: count = 1 } = status.channels[channel] ?? {}
    // Said once, below the last scene.
    if (!state || (channel === 'desk' && state === 'unavailable')) continue
    received[channel] = (state === 'delivered' ? detail : `${state}: ${detail}`) ?? ''
    if (count > 1) attempts[channel] = count
  }
  if (received.phone?.startsWith('accepted')) received.phone = showPush(phone.at(-1))
  if (answers) received.phone = await deletedAfter(deleted, receivers)
  const file = received.audit && (await lastLine(stage.auditFile))
  const { title = '', body = '' } = file ? JSON.parse(file) : {}
  if (received.desk?.startsWith('shown')) received.desk = [title, body].filter(Boolean).join('\n')
  if (received.team === 'ok') received.team = showSlack(slack.at(-1))
  if (received.mail) received.mail = showMail(mails.at(-1)) || received.mail
  if (file) received.audit = file
  const { kind, outcome, reason } = status
  const told = { says, event: payload.hook_event_name, kind, outcome, reason }
  return { act: { ...told, ...hooked, received, attempts }, desk: status.channels.desk }
}

/** Waits until the one new event is settled, and returns its status. */
async function settled(
  stage: Stage,
  seen: ReadonlySet<string>,
  onProgress: (channels: EventStatus['channels']) => void,
): Promise<EventStatus> {
  let deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const worker = lockHolder(stage.stateDir)
    if (worker && livenessOf(worker) === 'alive') deadline = performance.now() + PATIENCE_MS
    for (const [id, status] of await readHistory(stage)) {
      if (seen.has(id)) continue
      onProgress(status.channels)
      if (status.outcome !== 'waiting' && isComplete(status)) return status
    }
    if (performance.now() > deadline) throw new Error('no worker took an event')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Channels are recorded one by one, so all that are expected must be there. */
function isComplete({ kind, channels }: EventStatus): boolean {
  const expected = kind === 'abnormal-end' ? 4 : 3
  const count = Object.keys(channels).length
  return count === 0 || count === expected
}

async function readHistory({ stateDir }: Stage): Promise<Map<string, EventStatus>> {
  const history = new EventHistory()
  for await (const entry of readJournal(stateDir)) history.add(entry)
  return history.byId
}

async function lastLine(path: string): Promise<string> {
  return (await readFile(path, 'utf8')).trimEnd().split('\n').at(-1) ?? ''
}

/** Waits until the phone was told to remove a message. */
async function deletedAfter(before: number, receivers: Receivers): Promise<string> {
  const until = performance.now() + PATIENCE_MS
  while (receivers.deleted === before) {
    if (performance.now() > until) throw new Error('the question stays on the phone')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return 'the question is taken off its screen'
}

function showPush(push: Receivers['phone'][number] | undefined): string {
  return push ? [push.title, push.message].filter(Boolean).join('\n') : ''
}

/** As Slack shows it: with the time of a date, and without escapes. */
function showSlack(message: Receivers['slack'][number] | undefined): string {
  return (message?.blocks ?? [])
    .map(({ text, elements }) => text?.text ?? elements?.map((one) => one.text).join('  '))
    .join('\n')
    .replaceAll(/<!date\^[^|>]*\|([^>]*)>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

function showMail(mail: Receivers['mails'][number] | undefined): string {
  return mail ? `To: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text.trim()}` : ''
}
