import { exitCodeOf, reportError } from '../../cli/errors.ts'
import { print } from '../../cli/output.ts'
import type { CurrentConfig } from '../../config/current.ts'
import type { LoadedConfig } from '../../config/load/load.ts'
import { describeError, errorCode } from '../../errors.ts'
import type { OpenHub } from '../../hub-server/status.ts'
import { onEndSignal } from '../../worker/end-on-signal.ts'
import { WakeUp } from '../../worker/wake-up.ts'
import { hubPage } from './page.ts'
import { type Place, startPage } from './page-server.ts'

/** How often the configuration is checked for changes; SIGHUP checks at once. */
const LOOK_MS = 2000

type Running = Awaited<ReturnType<typeof start>>

/**
 * Runs the hub until SIGINT or SIGTERM. Every line of output is JSON, for the log of the system.
 * @param words of the command line, which say how an error is printed
 */
export async function runHub(
  config: CurrentConfig,
  place: Place | undefined,
  words: readonly string[],
): Promise<never> {
  const exitCode = await run(config, place).then(
    () => 0,
    (error: unknown) => {
      reportError(error, 'hub', words)
      return exitCodeOf(error)
    },
  )
  // A connection that is reconnecting, and the timers of ioredis, would keep the process alive.
  process.exit(exitCode)
}

async function run(config: CurrentConfig, place: Place | undefined) {
  const wanted = listenToSignals()
  let tried = config.get()
  const told = new Set<string>()
  let hub = await start(tried, told)
  try {
    const page = place && (await startPage(place, () => renderPage(hub.open)))
    say({ state: 'ready', channels: hub.channels.join(' '), ...(page && { page: page.url }) })
    let mustRetry = false
    while (!wanted.end) {
      await wanted.wakeUp.wait(LOOK_MS)
      await config.fetchSecrets()
      if (config.isBeingSaved()) continue
      const next = config.get()
      const isAsked = next !== tried || wanted.reload
      wanted.reload = false
      if (wanted.end || !(isAsked || mustRetry)) continue
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

/** What the system has asked for: SIGINT or SIGTERM to end, SIGHUP to load the configuration again. */
function listenToSignals() {
  const wanted = { end: false, reload: false, wakeUp: new WakeUp() }
  const want = (wish: 'end' | 'reload') => () => {
    wanted[wish] = true
    wanted.wakeUp.notify()
  }
  onEndSignal(want('end'), () => process.exit(1))
  process.on('SIGHUP', want('reload'))
  return wanted
}

/** @param told texts of warnings that are not printed again; those of this start are added */
async function start(loaded: LoadedConfig, told: Set<string>) {
  const { startHub } = await import('../../hub-server/run.ts')
  const hub = await startHub(loaded, (line) => {
    if (line.state === 'warning' && !isNew(`${line.text}`, told)) return
    print(JSON.stringify(line))
  })
  return { ...hub, loaded }
}

/**
 * Starts the new hub before it stops the old one: two may run at once. If the new one fails, the old one stays.
 * @returns the hub that runs now, and whether the same configuration may succeed later
 */
async function replace(before: Running, loaded: LoadedConfig, told: Set<string>) {
  try {
    const hub = await start(loaded, told)
    await before.stop()
    await flushChanged(before, hub)
    say({ state: 'reloaded', channels: hub.channels.join(' ') })
    return { hub, mustRetry: false }
  } catch (error) {
    const text = `the configuration before is used: ${describeError(error)}`
    if (isNew(text, told)) say({ state: 'problem', text })
    return { hub: before, mustRetry: errorCode(error) === 'E_UNAVAILABLE' }
  }
}

/** Ends the pause of each channel whose configuration changed. If that fails, its messages only wait longer. */
async function flushChanged(before: Running, { loaded, channels, open }: Running) {
  const { flushHub } = await import('../../hub-server/flush.ts')
  const settingsOf = (name: string, { config }: LoadedConfig) =>
    JSON.stringify(config.channels[name])
  const changed = channels.filter(
    (name) => settingsOf(name, before.loaded) !== settingsOf(name, loaded),
  )
  await flushHub(open, changed).catch(() => {})
}

/** Remembers the text. @returns whether it is new */
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
    import('../../hub-server/status.ts'),
    import('../../hub-server/open-questions.ts'),
  ])
  const [status, sessions] = await Promise.all([hubStatus(hub), waitingSessions(hub.redis)])
  return hubPage(status, sessions, Date.now())
}
