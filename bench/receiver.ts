import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { lockHolder } from '../src/spool/lock/lock.ts'
import { frontDoor, makeHome, median, printTable } from './_bench.ts'

const RUNS = 40

/** How long the receiver of the channel takes for its answer. */
const receivers = { 'at once': 0, 'after 5 s': 5000, never: Number.POSITIVE_INFINITY }

/** Measures how long an agent waits for exit and closed pipes, which must not depend on how fast a receiver answers. */
export async function benchReceiver() {
  const server = createServer((request, response) => {
    const waitMs = Number(request.url?.slice(1))
    request.resume()
    if (Number.isFinite(waitMs)) setTimeout(() => response.end('ok'), waitMs).unref()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cases = Object.entries(receivers).map(([name, waitMs]) => {
    const url = `http://127.0.0.1:${port}/${waitMs}`
    return { name, home: makeHome({ type: 'slack', url }), waits: [] as number[] }
  })
  // The first hook starts the worker.
  for (const { home } of cases) await runHook(home.env)
  for (let run = 0; run < RUNS; run += 1) {
    for (const { home, waits } of cases) waits.push(await runHook(home.env))
  }
  const base = median(cases[0]?.waits ?? [])
  printTable('what the agent waits for, by the answer of the receiver', [
    ['receiver answers', 'median', 'ratio'],
    ...cases.map(({ name, waits }) => [
      name,
      `${median(waits).toFixed(1)} ms`,
      (median(waits) / base).toFixed(2),
    ]),
  ])
  for (const { home } of cases) {
    await endWorker(home.stateDir)
    home.remove()
  }
  server.closeAllConnections()
  server.close()
}

/** Waits as agents do: until the process has ended and no other process holds its pipes. */
async function runHook(env: NodeJS.ProcessEnv): Promise<number> {
  const startedAt = performance.now()
  const hook = spawn('/bin/sh', [frontDoor, '--client', 'claude'], { env })
  hook.stdin.end(JSON.stringify({ hook_event_name: 'Stop', cwd: '/tmp' }))
  await once(hook, 'close')
  return performance.now() - startedAt
}

async function endWorker(stateDir: string) {
  const pid = lockHolder(stateDir)?.pid
  if (pid) process.kill(pid, 'SIGTERM')
  while (lockHolder(stateDir)) await new Promise((resolve) => setTimeout(resolve, 20))
}
