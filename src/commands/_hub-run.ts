import { setTimeout as sleep } from 'node:timers/promises'
import { exitCodeOf, reportError } from '../cli/errors.ts'
import { print } from '../cli/output.ts'
import type { CurrentConfig } from '../config/current.ts'
import type { LoadedConfig } from '../config/load.ts'
import { describeError, errorCode } from '../errors.ts'
import type { startHub } from '../hub-server/run.ts'
import type { OpenHub } from '../hub-server/status.ts'
import { hubPage } from './_hub-page.ts'
import { type Place, startPage } from './_hub-page-server.ts'

/** How often the configuration is checked for changes; SIGHUP checks at once. */
const LOOK_MS = 2000

type Running = Awaited<ReturnType<typeof startHub>>

/** Runs the hub until SIGINT or SIGTERM. Every line of output is JSON, for the log of the system. */
export async function runHub(config: CurrentConfig, place: Place | undefined): Promise<never> {
  const exitCode = await run(config, place).then(
    () => 0,
    (error: unknown) => {
      reportError(error, 'hub')
      return exitCodeOf(error)
    },
  )
  // A connection that is reconnecting, and the timers of ioredis, would keep the process alive.
  process.exit(exitCode)
}

async function run(config: CurrentConfig, place: Place | undefined) {
  const ended = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort())
  let wake = () => {}
  process.on('SIGHUP', () => wake())
  let tried = config.get()
  const told = new Set<string>()
  let hub = await start(tried, told)
  try {
    const page = place && (await startPage(place, () => renderPage(hub.open)))
    say({ state: 'ready', channels: hub.channels.join(' '), ...(page && { page: page.url }) })
    let mustRetry = false
    while (!ended.signal.aborted) {
      const early = new AbortController()
      wake = () => early.abort()
      const either = AbortSignal.any([ended.signal, early.signal])
      await sleep(LOOK_MS, undefined, { signal: either }).catch(() => {})
      await config.fetchSecrets()
      const next = config.get()
      const isAsked = next !== tried || early.signal.aborted
      if (ended.signal.aborted || !(isAsked || mustRetry)) continue
      if (isAsked) told.clear()
      tried = next
      const reloaded = await replace(hub, next, told)
      hub = reloaded.hub
      mustRetry = reloaded.mustRetry
    }
    page?.close()
  } finally {
    await hub.stop()
  }
}

/** @param told texts of warnings that are not printed again; those of this start are added */
async function start(loaded: LoadedConfig, told: Set<string>): Promise<Running> {
  const { startHub } = await import('../hub-server/run.ts')
  return await startHub(loaded, (line) => {
    if (line.state === 'warning' && !isNew(`${line.text}`, told)) return
    print(JSON.stringify(line))
  })
}

/**
 * Starts the new hub before it stops the old one: two may run at once. If the new one fails, the old one stays.
 * @returns the hub that runs now, and whether the same configuration may succeed later
 */
async function replace(before: Running, loaded: LoadedConfig, told: Set<string>) {
  try {
    const hub = await start(loaded, told)
    await before.stop()
    say({ state: 'reloaded', channels: hub.channels.join(' ') })
    return { hub, mustRetry: false }
  } catch (error) {
    const text = `the configuration before is used: ${describeError(error)}`
    if (isNew(text, told)) say({ state: 'problem', text })
    return { hub: before, mustRetry: errorCode(error) === 'E_UNAVAILABLE' }
  }
}

/** Remembers the text. @returns whether it was not there yet */
function isNew(text: string, told: Set<string>): boolean {
  if (told.has(text)) return false
  told.add(text)
  return true
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
