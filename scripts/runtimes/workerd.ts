import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Variables } from '../runtimes.ts'

const config = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [
  (name = "main", worker = (
    modules = [(name = "worker", esModule = embed "worker.mjs")],
    compatibilityDate = "2025-06-01",
    globalOutbound = "network",
  )),
  # The emulator is on this machine, which a worker does not reach otherwise.
  (name = "network", network = (allow = ["private"])),
]);
`

/** Runs `run` of a bundled module in the runtime of Cloudflare Workers, and returns what it says. */
export async function runInWorkerd(
  packages: string,
  folder: string,
  bundle: string,
  variables: Variables,
): Promise<string> {
  const call = `run(${JSON.stringify(variables)})`
  const worker = `${bundle}\nexport default { async test() { console.log(await ${call}) } }`
  writeFileSync(join(folder, 'worker.mjs'), worker)
  writeFileSync(join(folder, 'config.capnp'), config)
  const program = join(packages, '@cloudflare/workerd-linux-64/bin/workerd')
  const options = { timeout: 60_000 }
  const { stdout } = await promisify(execFile)(
    program,
    ['test', join(folder, 'config.capnp')],
    options,
  )
  return stdout.trim()
}
