// The front door in Node.js, for Windows and for `hookbell hook`. Imports node: builtins only; never throws,
// never prints, always exits 0.

import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { stateDir } from '../config/paths.ts'
import { pinnedPath } from '../config/pinned.ts'
import type { Header } from '../spool/event-file.ts'
import { startDetached } from '../start-detached.ts'
import { readEvent } from './read-stdin.ts'
import { sessionEnv } from './session-env.ts'
import { storeEvent } from './store-event.ts'
import { wakeWorker } from './wake.ts'

const TITLE = 'hookbell: an agent event could not be stored'

const BODY = 'The disk may be full or read-only. Run: hookbell status'

const PATH = '/usr/bin:/bin:/usr/local/bin'

process.on('uncaughtException', () => process.exit(0))
// At SIGUSR1 Node.js would print where its debugger listens.
for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR1', 'SIGUSR2'])
  process.on(signal, () => {})
process.umask(0o077)

readEvent((body, drain) => {
  const state = installedFor(__dirname) ?? stateDir()
  const stored = storeEvent(state, headerOf(process), body)
  if (stored) wakeWorker(state, stored.root, `${__dirname}/worker.cjs`)
  else notifyFailure()
  drain(() => process.exit(0))
})

function headerOf({ argv, env }: NodeJS.Process): Header {
  const shared = argv.includes('--shared')
  return { client: clientName(argv), env: sessionEnv(env), ...(shared && { shared }) }
}

function clientName(argv: string[]): string {
  const at = argv.findIndex((word) => /^--client(=|$)/.test(word))
  if (at < 0) return 'unknown'
  return argv[at]?.split('=')[1] ?? argv[at + 1] ?? 'unknown'
}

/**
 * The state folder that an installed copy of the front door belongs to. The copy is in `<state>/runtime/dist`, beside
 * the paths that `init` pinned; the environment of a session cannot change them. Undefined for any other copy.
 */
function installedFor(folder: string): string | undefined {
  const runtime = dirname(folder)
  if (basename(folder) !== 'dist' || basename(runtime) !== 'runtime') return undefined
  const state = dirname(runtime)
  return existsSync(pinnedPath(state)) ? state : undefined
}

/**
 * The last way to tell a person that nothing can be stored. Constant text, and only on the bus of this user: a project can
 * set variables for its agent. Same text: bin/hookbell-hook.
 */
function notifyFailure() {
  if (process.platform === 'darwin') {
    const script = `display notification "${BODY}" with title "${TITLE}"`
    startDetached('/usr/bin/osascript', ['-e', script], { PATH })
    return
  }
  const bus = `unix:path=/run/user/${process.getuid?.()}/bus`
  const env = { PATH, DBUS_SESSION_BUS_ADDRESS: bus }
  startDetached('notify-send', ['-u', 'critical', '--', TITLE, BODY], env)
}
