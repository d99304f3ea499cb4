import { defineCommand } from 'citty'
import { ago, print, printJson, table } from '../cli/output.ts'
import { shellEnvironment } from '../clients/shell-environment.ts'
import { CurrentConfig } from '../config/current.ts'
import { refuseFoldersAtRisk } from '../config/folders-at-risk.ts'
import { configDir, stateDir } from '../config/paths.ts'
import { usageError } from '../errors.ts'
import { aclLines } from '../hub/keys.ts'
import type { OpenHub } from '../hub-server/status.ts'
import { cleanText, oneLine } from '../text/clean.ts'
import { counted } from '../text/counted.ts'
import { didYouMean } from '../text/suggest.ts'
import { deadAction } from './_dead-action.ts'
import { parsePlace } from './hub/page-server.ts'
import { runHub } from './hub/run.ts'
import { sessionsText, statusText, whyText } from './hub/text.ts'

const ACTIONS = ['run', 'status', 'sessions', 'why', 'flush', 'dead', 'acl']

export const hubCommand = defineCommand({
  args: {
    action: {
      type: 'positional',
      required: false,
      description:
        'run (default); status: what waits; sessions: who waits for an answer; why: what happened to a message; flush: try again now; dead: deliveries that gave up; acl: the required rights in Redis',
      valueHint: ACTIONS.join('|'),
    },
    what: {
      type: 'positional',
      required: false,
      description: 'Of why: the id. Of dead: list (default), retry or drop',
      valueHint: 'ID|list|retry|drop',
    },
    id: { type: 'positional', required: false, description: 'Of dead: one id' },
    all: { type: 'boolean', description: 'Of dead: retry or drop all of them' },
    page: {
      type: 'string',
      description: 'Of run: show status and sessions in a browser on this machine',
      valueHint: '127.0.0.1:PORT',
    },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args, rawArgs }) {
    const { action = 'run', what, id, page, all, json = false } = args
    if (action === 'acl') return json ? printJson(aclLines) : print(aclLines.join('\n'))
    if (!ACTIONS.includes(action)) {
      throw usageError(`hub: unknown action "${action}"`, didYouMean(action, ACTIONS, 'Actions'))
    }
    if (action === 'why' && !what)
      throw usageError('hub why: which message?', 'Its id is in: hookbell why, on its machine')
    // Checked before anything is loaded or asked.
    const wanted = action === 'dead' ? deadAction('hub dead', what, { id, all }) : undefined
    const place = page === undefined ? undefined : parsePlace(page)
    const config = await loadHub()
    if (action === 'run') return await runHub(config, place, rawArgs)
    const loaded = config.get()
    const { withHub } = await import('../hub-server/status.ts')
    return await withHub(loaded, async (hub) => {
      if (action === 'status') return await showStatus(hub, json)
      if (action === 'sessions') return await showSessions(hub, json)
      if (action === 'why') return await showWhy(hub, what ?? '', json)
      if (wanted?.action === 'list') return await listDead(hub, json)
      if (wanted) return await actOn(hub, wanted.action, wanted.id, json)
      return await flush(hub, json)
    })
  },
})

async function loadHub(): Promise<CurrentConfig> {
  refuseFoldersAtRisk(configDir(), stateDir())
  const config = new CurrentConfig(configDir(), stateDir())
  config.storeVariables(shellEnvironment(process.env))
  await config.fetchSecrets()
  return config
}

async function showStatus(hub: OpenHub, json: boolean) {
  const { hubStatus } = await import('../hub-server/status.ts')
  const status = await hubStatus(hub)
  if (json) printJson(status)
  else print(statusText(status))
}

async function flush(hub: OpenHub, json: boolean) {
  const { flushHub } = await import('../hub-server/flush.ts')
  const count = await flushHub(hub)
  if (json) return printJson({ waiting: count })
  print(`${counted(count, 'message')} waiting; tried again within seconds, if a hub runs`)
}

async function showSessions({ redis }: OpenHub, json: boolean) {
  const { waitingSessions } = await import('../hub-server/open-questions.ts')
  const sessions = await waitingSessions(redis)
  const now = Date.now()
  if (json) printJson(sessions.map((one) => ({ ...one, waitedMs: Math.max(0, now - one.since) })))
  else print(sessionsText(sessions, now))
}

async function showWhy(hub: OpenHub, id: string, json: boolean): Promise<number> {
  const { whereaboutsOf } = await import('../hub-server/why.ts')
  const found = await whereaboutsOf(hub, id)
  if (json) printJson(found)
  else print(whyText(found))
  return found.every(({ state }) => state === 'unknown') ? 1 : 0
}

async function listDead(hub: OpenHub, json: boolean) {
  const { deadInHub } = await import('../hub-server/dead.ts')
  const all = await deadInHub(hub)
  if (json) return printJson(all)
  if (all.length === 0) return print('Nothing is dead')
  const rows = all.map(({ id, host, channel, receivedAt, title, reason = '' }) => {
    return [id, oneLine(host), channel, ago(receivedAt), oneLine(title), cleanText(reason)]
  })
  print(table(rows))
}

async function actOn(
  hub: OpenHub,
  action: 'retry' | 'drop',
  id: string | undefined,
  json: boolean,
) {
  const { actOnDead } = await import('../hub-server/dead.ts')
  const count = await actOnDead(hub, action, id)
  if (count === 0 && id)
    throw usageError(`hub dead: no dead message "${id}"`, 'See: hookbell hub dead')
  if (json) return printJson({ [action === 'retry' ? 'retried' : 'dropped']: count })
  print(action === 'retry' ? `${count} put back` : `${count} dropped`)
}
