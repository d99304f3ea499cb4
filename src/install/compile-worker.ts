import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readCodeCache } from '../fs/code-cache.ts'
import { acceptEvent } from '../spool/write.ts'

const LIMIT_MS = 10_000

/** Port 9 is one that fetch never connects to: its code is loaded, and nothing is sent. */
const config = {
  lingerSeconds: 0,
  retry: { maxAttempts: 1 },
  channels: {
    file: { type: 'file', path: '/dev/null' },
    slack: { type: 'slack', url: 'http://127.0.0.1:9/' },
  },
  routes: [{ on: ['*'], to: ['file', 'slack'] }],
}

/**
 * Lets the private copy of the worker deliver one event in folders of its own, so that its compiled code is there
 * before the first real one. Best effort: without it the first worker leaves it.
 */
export async function compileWorker(runtime: string, node: string): Promise<void> {
  const folder = join(runtime, 'rehearsal')
  try {
    if (isCompiled(join(runtime, 'dist'))) return
    const [state, configDir] = [join(folder, 'state'), join(folder, 'config')]
    for (const path of [folder, state, configDir]) mkdirSync(path, { mode: 0o700 })
    writeFileSync(join(configDir, 'config.json'), JSON.stringify(config), { mode: 0o600 })
    const event = { hook_event_name: 'Stop', session_id: 'rehearsal', cwd: '/' }
    acceptEvent(state, { client: 'claude', env: {} }, Buffer.from(JSON.stringify(event)))
    const env = { HOME: folder, HOOKBELL_STATE_DIR: state, HOOKBELL_CONFIG_DIR: configDir }
    const worker = spawn(node, [join(runtime, 'dist/worker.cjs')], {
      cwd: '/',
      env,
      stdio: 'ignore',
      timeout: LIMIT_MS,
    })
    await once(worker, 'exit')
  } catch {
    // No room, or no such program: whoever starts the worker says so.
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function isCompiled(dist: string): boolean {
  const source = readFileSync(join(dist, 'worker-code.cjs'))
  return readCodeCache(join(dist, 'worker-code.cache'), source) !== undefined
}
