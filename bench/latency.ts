import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { frontDoor, makeHome, median, printTable } from './_bench.ts'

const COLD = 9
const WARM = 15

/** From the moment a hook has accepted an event (it exits) to the request at a webhook on loopback. */
export async function benchLatency() {
  const arrivals: ((at: number) => void)[] = []
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      arrivals.shift()?.(performance.now())
      response.end('ok')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  // Each event has a destination of its own: one may take a message a second only.
  const url = `http://127.0.0.1:${port}/services/`
  const send = async (env: NodeJS.ProcessEnv) => {
    const arrived = new Promise<number>((resolve) => arrivals.push(resolve))
    const acceptedAt = await runHook(env)
    return (await arrived) - acceptedAt
  }

  const cold: number[] = []
  for (let run = 0; run < COLD; run += 1) {
    const home = makeHome({ type: 'slack', url: `${url}${run}` }, { lingerSeconds: 0 })
    cold.push(await send(home.env))
    await gone(home.stateDir)
    home.remove()
  }

  const warm: number[] = []
  const home = makeHome({ type: 'slack', url: `${url}warm` }, { lingerSeconds: 3 })
  await send(home.env)
  for (let run = 0; run < WARM; run += 1) {
    // Slack takes one message a second.
    await new Promise((resolve) => setTimeout(resolve, 1050))
    warm.push(await send(home.env))
  }
  await gone(home.stateDir)
  home.remove()
  server.closeAllConnections()
  server.close()

  const row = (name: string, values: number[]) => [
    name,
    `${median(values).toFixed(0)} ms`,
    `${Math.max(...values).toFixed(0)} ms`,
    `${values.length}`,
  ]
  printTable('latency: accepted (the hook has ended) to delivered (webhook on loopback)', [
    ['worker', 'median', 'slowest', 'runs'],
    row('cold', cold),
    row('warm', warm),
  ])
}

async function runHook(env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn('/bin/sh', [frontDoor, '--client', 'claude'], {
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const event = { hook_event_name: 'Stop', cwd: '/tmp', last_assistant_message: 'done' }
  child.stdin.end(JSON.stringify(event))
  await once(child, 'exit')
  return performance.now()
}

/** Until the worker of this state folder has ended. */
async function gone(stateDir: string) {
  const { existsSync } = await import('node:fs')
  while (existsSync(`${stateDir}/worker.lock`)) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
