// The detached worker. The front door starts it; nobody sees its output.
import { fileURLToPath } from 'node:url'
import { CurrentConfig } from '../config/current.ts'
import { configDir, fallbackStateDir, stateDir } from '../config/paths.ts'
import { isInUse } from '../spool/layout.ts'
import { closeInherited, restartInOwnSession, scrubEnvironment } from './isolate.ts'
import { deliverOnce, releaseAll, runUntilIdle } from './run.ts'

const script = fileURLToPath(import.meta.url)
const trustedBefore = process.env.NODE_EXTRA_CA_CERTS
scrubEnvironment(process.env)
closeInherited()
process.umask(0o077)

if (process.argv.includes('--own-session')) restartInOwnSession(script, process.env)
else await main()

async function main() {
  const folders = { stateDir: stateDir(), configDir: configDir() }
  const config = new CurrentConfig(folders.configDir, folders.stateDir)
  const options = { ...folders, config }
  const { extraCaFile } = config.get().config
  // Node.js reads this variable only when it starts.
  if (extraCaFile && trustedBefore !== extraCaFile) {
    return restartInOwnSession(script, { ...process.env, NODE_EXTRA_CA_CERTS: extraCaFile })
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      releaseAll(options)
      process.exit(0)
    })
  }
  // A terminal that is closed is not ours.
  process.on('SIGHUP', () => {})
  const fallback = fallbackStateDir()
  // What a front door could store only there waits for the next worker.
  const others = isInUse(fallback) ? [deliverOnce({ ...options, stateDir: fallback })] : []
  await Promise.all([runUntilIdle(options), ...others])
  // A connection that is kept alive must not keep the worker alive.
  process.exit(0)
}
