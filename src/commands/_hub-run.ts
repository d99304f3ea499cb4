import { setTimeout as sleep } from 'node:timers/promises'
import { print } from '../cli/output.ts'
import type { CurrentConfig } from '../config/current.ts'
import type { LoadedConfig } from '../config/load.ts'
import { describeError } from '../errors.ts'
import type { startHub } from '../hub-server/run.ts'
import type { OpenHub } from '../hub-server/status.ts'
import { hubPage } from './_hub-page.ts'
import { type Place, startPage } from './_hub-page-server.ts'

/** How often the configuration is checked for changes; SIGHUP checks at once. */
const LOOK_MS = 2000

type Running = Awaited<ReturnType<typeof startHub>>

/** Runs the hub until SIGINT or SIGTERM. Every line of output is JSON, for the log of the system. */
export async function runHub(config: CurrentConfig, place: Place | undefined): Promise<never> {
  const ended = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort())
  let wake = () => {}
  process.on('SIGHUP', () => wake())
  let loaded = config.get()
  let hub = await start(loaded)
  const page = place && (await startPage(place, () => renderPage(hub.open)))
  say({ state: 'ready', channels: hub.channels.join(' '), ...(page && { page: page.url }) })
  while (!ended.signal.aborted) {
    const early = new AbortController()
    wake = () => early.abort()
    const either = AbortSignal.any([ended.signal, early.signal])
    await sleep(LOOK_MS, undefined, { signal: either }).catch(() => {})
    await config.fetchSecrets()
    const next = config.get()
    if (ended.signal.aborted || (next === loaded && !early.signal.aborted)) continue
    loaded = next
    hub = await replace(hub, loaded)
  }
  page?.close()
  await hub.stop()
  // A connection that is reconnecting would keep the process alive.
  process.exit(0)
}

async function start(loaded: LoadedConfig): Promise<Running> {
  const { startHub } = await import('../hub-server/run.ts')
  return await startHub(loaded, (line) => print(JSON.stringify(line)))
}

/** Starts the new hub before it stops the old one: two may run at once. If the new one fails, the old one stays. */
async function replace(before: Running, loaded: LoadedConfig): Promise<Running> {
  try {
    const hub = await start(loaded)
    await before.stop()
    say({ state: 'reloaded', channels: hub.channels.join(' ') })
    return hub
  } catch (error) {
    const text = `the configuration before is used: ${describeError(error)}`
    say({ state: 'problem', text })
    return before
  }
}

function say(line: object) {
  print(JSON.stringify({ at: Date.now(), ...line }))
}

async function renderPage(hub: OpenHub): Promise<string> {
  const [{ hubStatus }, { waitingSessions }] = await Promise.all([
    import('../hub-server/status.ts'),
    import('../hub-server/open-questions.ts'),
  ])
  const [status, sessions] = await Promise.all([hubStatus(hub), waitingSessions(hub.redis)])
  return hubPage(status, sessions, Date.now())
}
