import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { workerEnvironment } from '../../src/config/worker-env.ts'
import { builtWorker } from '../support/program.ts'
import { holdAnswer, startReceiver } from '../support/receiver.ts'
import { countOutcomes, exited, makeWorld, startProgram, type World } from './_world.ts'

const canRename =
  process.getuid?.() === 0 && spawnSync('unshare', ['--uts', 'hostname', 'x']).status === 0
const twoLeases = new Date(Date.now() - 10 * 60_000)

/** A worker on a machine that is renamed while it runs, then a second worker on that machine. */
const RENAMED = `
  hostname before
  "$NODE" "$WORKER" --restarted &
  while [ ! -e "$GO" ]; do sleep 0.05; done
  hostname after
  touch "$GO.renamed"
  while [ ! -e "$GO.second" ]; do sleep 0.05; done
  "$NODE" "$WORKER" --restarted
  touch "$GO.ended"
  wait
`

function startOnRenamedMachine(world: World) {
  const go = join(world.folder, 'go')
  const child = spawn('unshare', ['--uts', 'sh', '-c', RENAMED], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...workerEnvironment(world.stateDir, world.env),
      ...{ NODE: process.execPath, WORKER: builtWorker, GO: go },
    },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const signal = (name: string) => writeFileSync(`${go}${name}`, '')
  const reached = (name: string) => expect.poll(() => existsSync(`${go}${name}`)).toBe(true)
  return { child, signal, reached }
}

describe.skipIf(!canRename)('a machine that is renamed', () => {
  it('loses no event, and the worker removes the lock that it took under the old name', async () => {
    const world = makeWorld({ lingerSeconds: 600 })
    const lock = join(world.stateDir, 'worker.lock')
    const { child, signal, reached } = startOnRenamedMachine(world)
    await expect.poll(() => existsSync(lock)).toBe(true)
    expect(readFileSync(lock, 'utf8')).toContain(' before.')
    signal('')
    await reached('.renamed')
    const ids = [world.accept({ message: 'to the worker that was there' })]
    await expect.poll(() => world.lines().length).toBe(1)
    // The second worker sees that the first one is alive, and leaves its lock alone.
    signal('.second')
    await reached('.ended')
    expect(existsSync(lock)).toBe(true)
    const channels = { file: { type: 'file', path: world.outFile } }
    world.configure({ channels, routes: [{ on: ['*'], to: ['file'] }], lingerSeconds: 0 })
    ids.push(world.accept({ message: 'afterwards' }))
    expect(await exited(child)).toBe(0)
    expect(world.lines().map(({ id }) => id)).toEqual(ids)
    expect(readdirSync(world.stateDir).filter((name) => name.endsWith('.lock'))).toEqual([])
    expect(readdirSync(world.spool.cur)).toEqual([])
  })
})

describe('a worker that was stopped for longer than its lease', () => {
  it('continues next to the worker that took over, without a crash or a lost event', async () => {
    const first = holdAnswer({ status: 500 })
    const { url, received } = await startReceiver({ script: [first.step, 200] })
    const world = makeWorld()
    const channels = {
      file: { type: 'file', path: world.outFile },
      team: { type: 'webhook', url: `${url}/x` },
    }
    const routes = [
      { on: ['Stop'], to: ['team'] },
      { on: ['Notification'], to: ['file'] },
    ]
    const more = { lingerSeconds: 0, deliveryTimeoutSeconds: 600 }
    world.configure({ channels, routes, retry: { firstDelaySeconds: 0.1 }, ...more })
    const ids = [world.accept({ hook_event_name: 'Stop' })]
    const stopped = startProgram(builtWorker, world)
    await expect.poll(() => received.length).toBe(1)
    stopped.kill('SIGSTOP')
    const [owner = ''] = readdirSync(world.spool.cur)
    utimesSync(join(world.spool.cur, owner), twoLeases, twoLeases)
    ids.push(world.accept({ message: 'while it was stopped' }))
    expect(await exited(startProgram(builtWorker, world))).toBe(0)
    expect(received.length).toBe(2)
    first.give()
    stopped.kill('SIGCONT')
    expect(await exited(stopped)).toBe(0)
    expect(countOutcomes(await world.statuses())).toEqual({ delivered: 2 })
    expect(world.lines().map(({ id }) => id)).toEqual(ids.slice(1))
    expect(readdirSync(world.spool.cur)).toEqual([])
    for (const folder of ['new', 'dead', 'cards'] as const) expect(world.list(folder)).toEqual([])
  })
})
