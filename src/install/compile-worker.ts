import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { readCodeCache } from '../fs/code-cache.ts'
import { acceptEvent } from '../spool/event-file.ts'

/** Only what hangs takes this long, also on a busy machine. */
const LIMIT_MS = 60_000

/** Uses the code that channels commonly need: for a file, a connection and a program. */
function makeConfig(folder: string, port: number, node: string) {
  return {
    lingerSeconds: 0,
    retry: { maxAttempts: 1 },
    channels: {
      file: { type: 'file', path: join(folder, 'events.jsonl') },
      slack: { type: 'slack', url: `http://127.0.0.1:${port}/` },
      command: { type: 'command', argv: [node, '--version'] },
    },
    routes: [{ on: ['*'], to: ['file', 'slack', 'command'] }],
  }
}

/**
 * Lets the private copy of the worker deliver one event in temporary folders, so that its compiled code is cached
 * before the first real event. Best effort: otherwise the first real worker writes the cache.
 */
export async function compileWorker(runtime: string, node: string): Promise<void> {
  const folder = join(runtime, 'rehearsal')
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.end('ok'))
  })
  try {
    if (isCompiled(join(runtime, 'dist'))) return
    const [state, configDir] = [join(folder, 'state'), join(folder, 'config')]
    for (const path of [folder, state, configDir]) mkdirSync(path, { mode: 0o700 })
    await once(receiver.listen(0, '127.0.0.1'), 'listening')
    const config = makeConfig(folder, (receiver.address() as AddressInfo).port, node)
    writeFileSync(join(configDir, 'config.json'), JSON.stringify(config), { mode: 0o600 })
    const event = { hook_event_name: 'Stop', session_id: 'rehearsal', cwd: '/' }
    acceptEvent(state, { client: 'claude', env: {} }, Buffer.from(JSON.stringify(event)))
    const env = { HOME: folder, HOOKBELL_STATE_DIR: state, HOOKBELL_CONFIG_DIR: configDir }
    const worker = spawn(node, [join(runtime, 'dist/worker.cjs')], {
      cwd: '/',
      env,
      stdio: 'ignore',
      windowsHide: true,
      timeout: LIMIT_MS,
    })
    await once(worker, 'exit')
  } catch {
    // A full disk or a missing program is reported when the real worker is started.
  } finally {
    receiver.close()
    receiver.closeAllConnections()
    rmSync(folder, { recursive: true, force: true })
  }
}

function isCompiled(dist: string): boolean {
  const source = readFileSync(join(dist, 'worker-code.cjs'))
  return readCodeCache(join(dist, 'worker-code.cache'), source) !== undefined
}
