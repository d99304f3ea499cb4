// The front door in Node.js, for Windows and for `hookbell hook`. Imports node: builtins only; never throws,
// never prints, always exits 0.
import { join } from 'node:path'
import { runtimeDir, stateDir } from '../config/paths.ts'
import { acceptEvent } from '../spool/write.ts'
import { readEvent, readIfFile } from './read-stdin.ts'
import { sessionEnv } from './session-env.ts'
import { wakeWorker } from './wake.ts'

process.on('uncaughtException', () => process.exit(0))
for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})

run().finally(() => process.exit(0))

async function run() {
  const body = readIfFile(0) ?? (await readEvent(process.stdin))
  const header = { client: clientName(process.argv), env: sessionEnv(process.env) }
  for (const state of [stateDir(), join(runtimeDir(), 'hookbell')]) {
    try {
      acceptEvent(state, header, body)
      return await wakeWorker(state, join(__dirname, 'worker.js'))
    } catch {
      // Full, read-only or not ours: the next folder.
    }
  }
}

function clientName(argv: string[]): string {
  const at = argv.findIndex((word) => /^--client(=|$)/.test(word))
  if (at < 0) return 'unknown'
  return argv[at]?.split('=')[1] ?? argv[at + 1] ?? 'unknown'
}
