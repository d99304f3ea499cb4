import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { RedisConnection } from '../../src/hub/connection.ts'
import { makeFolder } from './folder.ts'

/** The variable may contain the path of another server, such as `valkey-server`. */
const server = process.env.HOOKBELL_TEST_REDIS ?? 'redis-server'

/** Without the server, the tests that need it are skipped. */
export const hasRedis = spawnSync(server, ['--version']).status === 0

interface RedisOptions {
  /** Users as lines of an ACL file. */
  users?: readonly string[]
  tls?: { cert: Buffer; key: Buffer }
  args?: readonly string[]
  /** Addresses of this machine at which it listens; default: loopback. */
  bind?: readonly string[]
  /** Words before its command line, such as to run it in another network. */
  prefix?: readonly string[]
}

/** Starts a real Redis with a separate folder, on loopback. Stopped at the end of the test. */
export async function startRedis({ users, tls, ...options }: RedisOptions = {}) {
  const { args = [], bind = ['127.0.0.1'], prefix = [] } = options
  const folder = await makeFolder()
  const port = await freePort()
  const words = ['--port', tls ? '0' : `${port}`, '--bind', ...bind, '--dir', folder]
  words.push('--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction')
  if (users) {
    writeFileSync(join(folder, 'users.acl'), `${users.join('\n')}\n`)
    words.push('--aclfile', join(folder, 'users.acl'))
  }
  if (tls) {
    for (const [name, bytes] of Object.entries(tls)) writeFileSync(join(folder, name), bytes)
    words.push('--tls-port', `${port}`, '--tls-auth-clients', 'no')
    words.push('--tls-cert-file', join(folder, 'cert'), '--tls-key-file', join(folder, 'key'))
  }
  let child: ChildProcess | undefined
  const start = async () => {
    const [program = '', ...rest] = [...prefix, server, ...words, ...args]
    const started = spawn(program, rest, { stdio: ['ignore', 'pipe', 'ignore'] })
    child = started
    let log = ''
    started.stdout?.on('data', (chunk) => {
      log += chunk
    })
    while (!log.includes('Ready to accept connections')) {
      if (started.exitCode !== null) throw new Error(log)
      await sleep(10)
    }
  }
  const stop = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
  await start()
  onTestFinished(() => stop())
  const url = (user = '') => `${tls ? 'rediss' : 'redis'}://${user && `${user}@`}127.0.0.1:${port}`
  const connection = new RedisConnection(
    { url: url(), allowUnencrypted: false },
    { maxReplyBytes: 8_000_000 },
  )
  onTestFinished(() => connection.close())
  return {
    ...{ folder, port, url, start, stop },
    /** Calls a command as the default user, without TLS. */
    ask: (...words: string[]) => connection.call(...words),
  }
}

/**
 * A free port, because Redis cannot choose one itself. It is below the range that systems assign to outgoing connections:
 * one of them could otherwise get it before Redis does, or while Redis is restarted.
 */
async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_000)
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return await freePort()
  }
  server.close()
  await once(server, 'close')
  return port
}
