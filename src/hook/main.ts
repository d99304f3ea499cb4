// The front door in Node.js, for Windows and for `hookbell hook`. Imports node: builtins only; never throws,
// never prints, always exits 0.
import { stateDir } from '../config/paths.ts'
import type { Header } from '../spool/header.ts'
import { installedFor } from './installed-for.ts'
import { notifyFailure } from './notify-failure.ts'
import { readEvent } from './read-stdin.ts'
import { sessionEnv } from './session-env.ts'
import { storeEvent } from './store-event.ts'
import { wakeWorker } from './wake.ts'

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
