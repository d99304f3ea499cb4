import { readFile } from 'node:fs/promises'
import { endWorker } from '../install/remove-state.ts'
import { EventHistory, type EventStatus, type Outcome } from '../journal/history.ts'
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
}

export interface Play {
  command: string
  settings: string
  acts: Act[]
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
    for (const scene of story(stage.project, stage.transcript)) {
      signal.throwIfAborted()
      acts.push(await playScene(scene, command, stage, receivers))
    }
    return { command, settings, acts }
  } finally {
    receivers.close()
    // So that nothing writes into the folder while it is removed.
    await endWorker(stage.stateDir)
    await stage.remove()
  }
}

type Receivers = Awaited<ReturnType<typeof startReceivers>>

async function playScene(
  { says, payload }: Scene,
  command: string,
  stage: Stage,
  { slack, mails }: Receivers,
): Promise<Act> {
  const seen = new Set((await readHistory(stage)).keys())
  const hooked = await runHook(command, payload, stage)
  const status = await settled(stage, seen)
  const received: Act['received'] = {}
  for (const channel of ['desk', 'team', 'mail', 'audit']) {
    const { state, detail } = status.channels[channel] ?? {}
    if (state) received[channel] = (state === 'delivered' ? detail : `${state}: ${detail}`) ?? ''
  }
  const file = received.audit && (await lastLine(stage.auditFile))
  const { title = '', body = '' } = file ? JSON.parse(file) : {}
  if (received.desk?.startsWith('shown')) received.desk = [title, body].filter(Boolean).join('\n')
  if (received.team === 'ok') received.team = showSlack(slack.at(-1))
  if (received.mail) received.mail = showMail(mails.at(-1)) || received.mail
  if (file) received.audit = file
  const { kind, outcome, reason } = status
  return { says, event: payload.hook_event_name, ...hooked, kind, outcome, reason, received }
}

/** Waits until the one new event is settled, and returns its status. */
async function settled(stage: Stage, seen: ReadonlySet<string>): Promise<EventStatus> {
  let deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const worker = lockHolder(stage.stateDir)
    if (worker && livenessOf(worker) === 'alive') deadline = performance.now() + PATIENCE_MS
    for (const [id, status] of await readHistory(stage)) {
      if (!seen.has(id) && status.outcome !== 'waiting' && isComplete(status)) return status
    }
    if (performance.now() > deadline) throw new Error('no worker took an event')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Channels are recorded one by one, so all that are expected must be there. */
function isComplete({ kind, channels }: EventStatus): boolean {
  const expected = kind === 'abnormal-end' ? 4 : 2
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

function showSlack(message: Receivers['slack'][number] | undefined): string {
  return (message?.blocks ?? [])
    .map(({ text, elements }) => text?.text ?? elements?.map((one) => one.text).join('  '))
    .join('\n')
}

function showMail(mail: Receivers['mails'][number] | undefined): string {
  return mail ? `To: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text.trim()}` : ''
}
