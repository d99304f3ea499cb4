import { defineCommand } from 'citty'
import { ago, print, printJson, table } from '../cli/output.ts'
import { CurrentConfig } from '../config/current.ts'
import { shellEnvironment } from '../config/environment.ts'
import type { LoadedConfig } from '../config/load.ts'
import { configDir, stateDir } from '../config/paths.ts'
import { refuseFoldersAtRisk } from '../config/trust.ts'
import { usageError } from '../errors.ts'
import { aclLines } from '../hub/acl.ts'
import { cleanText, oneLine } from '../text/clean.ts'

const ACTIONS = ['run', 'status', 'dead', 'acl']

export const hubCommand = defineCommand({
  args: {
    action: {
      type: 'positional',
      required: false,
      description:
        'run (default); status: what waits; dead: what was given up; acl: the least rights in Redis',
      valueHint: ACTIONS.join('|'),
    },
    what: {
      type: 'positional',
      required: false,
      description: 'Of dead: list (default), retry or drop',
      valueHint: 'list|retry|drop',
    },
    id: { type: 'positional', required: false, description: 'Of dead: one id' },
    all: { type: 'boolean', description: 'Of dead: retry or drop all of them' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args }) {
    const { action = 'run', what = 'list', id, all = false, json = false } = args
    if (action === 'acl') return print(aclLines.join('\n'))
    if (!ACTIONS.includes(action)) {
      throw usageError(`hub: unknown action "${action}"`, `Actions: ${ACTIONS.join(', ')}`)
    }
    const loaded = await loadHub()
    if (action === 'status') return await showStatus(loaded, json)
    if (action === 'dead') return await dead(loaded, { what, id, all, json })
    return await runHub(loaded)
  },
})

async function loadHub(): Promise<LoadedConfig> {
  refuseFoldersAtRisk(configDir(), stateDir())
  const config = new CurrentConfig(configDir(), stateDir())
  config.storeVariables(shellEnvironment(process.env))
  await config.fetchSecrets()
  return config.get()
}

/** Until it is told to end. Every line is JSON, for the journal of the system. */
async function runHub(loaded: LoadedConfig): Promise<number> {
  const { startHub } = await import('../hub-server/run.ts')
  const hub = await startHub(loaded, (line) => print(JSON.stringify(line)))
  print(JSON.stringify({ at: Date.now(), state: 'ready', channels: hub.channels.join(' ') }))
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  await hub.stop()
  // A connection that is being made again would keep the process alive.
  process.exit(0)
}

async function showStatus(loaded: LoadedConfig, json: boolean) {
  const { hubStatus } = await import('../hub-server/status.ts')
  const status = await hubStatus(loaded)
  if (json) return printJson(status)
  const { inbox, counts, lastRefused, destinations } = status
  const ended = Object.entries(counts).map(([state, count]) => `${count} ${state}`)
  const rows = destinations.map(({ channels, waiting, questions, active, dead: count, oldest }) => [
    channels.join(', '),
    `${waiting} waiting`,
    `${questions} questions`,
    `${active} under way`,
    `${count} dead`,
    oldest === null ? '' : `oldest ${ago(oldest)}`,
  ])
  print(
    table([
      ['inbox', `${inbox} waiting`],
      ['ended', ended.join(', ') || 'nothing yet'],
    ]),
  )
  if (lastRefused) print(`refused last ${ago(lastRefused.at)}: ${lastRefused.why}`)
  print(table(rows))
}

async function dead(
  loaded: LoadedConfig,
  { what, id, all, json }: { what: string; id?: string | undefined; all: boolean; json: boolean },
) {
  const { actOnDead, deadInHub } = await import('../hub-server/status.ts')
  if (what === 'list') {
    const rows = await deadInHub(loaded)
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
  const count = await actOnDead(loaded, what, all ? undefined : id)
  if (count === 0 && id)
    throw usageError(`hub dead: no dead message "${id}"`, 'See: hookbell hub dead')
  print(what === 'retry' ? `${count} put back` : `${count} dropped`)
}
