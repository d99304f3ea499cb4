// The detached worker. The front door starts it; nobody sees its output.
import { fileURLToPath } from 'node:url'
import { CurrentConfig } from '../config/current.ts'
import { configDir, stateDir } from '../config/paths.ts'
import { closeInherited, restartInOwnSession, scrubEnvironment } from './hygiene.ts'
import { runUntilIdle } from './run.ts'

const script = fileURLToPath(import.meta.url)
const trustedBefore = process.env.NODE_EXTRA_CA_CERTS
scrubEnvironment(process.env)
closeInherited()
process.umask(0o077)

if (process.argv.includes('--own-session')) restartInOwnSession(script, process.env)
else await main()

async function main() {
  const options = { stateDir: stateDir(), configDir: configDir() }
  const { extraCaFile } = new CurrentConfig(options.configDir, options.stateDir).get().config
  // Node.js reads this variable only when it starts.
  if (extraCaFile && trustedBefore !== extraCaFile) {
    return restartInOwnSession(script, { ...process.env, NODE_EXTRA_CA_CERTS: extraCaFile })
  }
  await runUntilIdle(options)
  // A connection that is kept alive must not keep the worker alive.
  process.exit(0)
}
