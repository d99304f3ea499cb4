import { defineCommand } from 'citty'
import { ago, print, printJson, table } from '../cli/output.ts'
import { shellEnvironment } from '../clients/shell-environment.ts'
import { CurrentConfig } from '../config/current.ts'
import { configDir, stateDir } from '../config/paths.ts'
import { refuseFoldersAtRisk } from '../config/trust.ts'
import { usageError } from '../errors.ts'
import { aclLines } from '../hub/acl.ts'
import type { OpenHub } from '../hub-server/status.ts'
import { cleanText, oneLine } from '../text/clean.ts'
import { counted } from '../text/counted.ts'
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
  async run({ args }) {
    const { action = 'run', what, id, page, all = false, json = false } = args
    if (action === 'acl') return print(aclLines.join('\n'))
    if (!ACTIONS.includes(action)) {
      throw usageError(`hub: unknown action "${action}"`, `Actions: ${ACTIONS.join(', ')}`)
    }
    if (action === 'why' && !what)
      throw usageError('hub why: which message?', 'Its id is in: hookbell why, on its machine')
    const place = page === undefined ? undefined : parsePlace(page)
    const config = await loadHub()
    if (action === 'run') return await runHub(config, place)
    const loaded = config.get()
    const { withHub } = await import('../hub-server/status.ts')
    return await withHub(loaded, async (hub) => {
      if (action === 'status') return await showStatus(hub, json)
      if (action === 'sessions') return await showSessions(hub, json)
      if (action === 'why') return await showWhy(hub, what ?? '', json)
      if (action === 'flush') return await flush(hub)
      return await dead(hub, { what: what ?? 'list', id, all, json })
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

async function flush(hub: OpenHub) {
  const { flushHub } = await import('../hub-server/flush.ts')
  const count = await flushHub(hub)
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

async function dead(
  hub: OpenHub,
  { what, id, all, json }: { what: string; id?: string | undefined; all: boolean; json: boolean },
) {
  const { actOnDead, deadInHub } = await import('../hub-server/dead.ts')
  if (what === 'list') {
    const rows = await deadInHub(hub)
    if (json) return printJson(rows)
    if (rows.length === 0) return print('Nothing is dead')
    return print(
      table(
        rows.map(({ id: name, host, channel, receivedAt, title, reason }) => [
          ...[
            name,
            oneLine(host),
            channel,
            ago(receivedAt),
            oneLine(title),
            cleanText(reason ?? ''),
          ],
        ]),
      ),
    )
  }
  if (what !== 'retry' && what !== 'drop')
    throw usageError(`hub dead: unknown action "${what}"`, 'Actions: list, retry, drop')
  if (!id && !all) throw usageError(`hub dead ${what}: which one?`, 'Give an id, or --all')
  const count = await actOnDead(hub, what, all ? undefined : id)
  if (count === 0 && id)
    throw usageError(`hub dead: no dead message "${id}"`, 'See: hookbell hub dead')
  print(what === 'retry' ? `${count} put back` : `${count} dropped`)
}
