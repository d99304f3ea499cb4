import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RedisConnection } from '../src/hub/connection.ts'

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

/** A Redis of its own on loopback, as durable as docs/hub.md asks for. */
export async function startRedis() {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-bench-'))
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  const words = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '']
  words.push('--appendonly', 'yes', '--appendfsync', 'always')
  const child = spawn('redis-server', words, { stdio: ['ignore', 'pipe', 'ignore'] })
  for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept')) break
  const settings = { url: `redis://127.0.0.1:${port}`, allowUnencrypted: false }
  const connection = new RedisConnection(settings)
  const ask = (...words: string[]) => connection.call(...words)
  return {
    settings,
    place: { host: '127.0.0.1', port },
    ask,
    number: async (section: string, name: string) =>
      Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(String(await ask('INFO', section)))?.[1]),
    async stop() {
      connection.close()
      child.kill('SIGKILL')
      await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
