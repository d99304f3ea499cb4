// The front door in Node.js, for Windows and for `hookbell hook`. Imports node: builtins only; never throws,
// never prints, always exits 0.
import { stateDir } from '../config/paths.ts'
import { fallbackFolders } from '../config/pinned.ts'
import { acceptEvent } from '../spool/write.ts'
import { installedFor } from './installed-for.ts'
import { notifyFailure } from './notify-failure.ts'
import { readEvent } from './read-stdin.ts'
import { sessionEnv } from './session-env.ts'
import { wakeWorker } from './wake.ts'

process.on('uncaughtException', () => process.exit(0))
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM']) process.on(signal, () => {})
process.umask(0o077)

readEvent((body, drain) => {
  const state = installedFor(__dirname) ?? stateDir()
  const root = store(state, body)
  if (root) wakeWorker(state, root, `${__dirname}/worker.cjs`)
  else notifyFailure()
  drain(() => process.exit(0))
})

/** @returns the folder in which the event was stored, or undefined if none could store it */
function store(state: string, body: Buffer): string | undefined {
  const { argv, env } = process
  const shared = argv.includes('--shared')
  const header = { client: clientName(argv), env: sessionEnv(env), ...(shared && { shared }) }
  for (const folder of [() => state, () => fallbackFolders(state)[0] ?? '']) {
    try {
      const root = folder()
      acceptEvent(root, header, body)
      return root
    } catch {
      // The folder is full, read-only or not ours: try the next one.
    }
  }
}

function clientName(argv: string[]): string {
  const at = argv.findIndex((word) => /^--client(=|$)/.test(word))
  if (at < 0) return 'unknown'
  return argv[at]?.split('=')[1] ?? argv[at + 1] ?? 'unknown'
}
