import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readQuietly } from '../../src/fs/read.ts'
import { findDead, retryDead } from '../../src/worker/dead.ts'
import { buildProgram, builtWorker } from '../support/program.ts'
import { holdAnswer, startReceiver } from '../support/receiver.ts'
import { isFull } from '../support/runs.ts'
import { hasStrace } from '../support/system-calls.ts'
import { countOutcomes, exited, makeWorld, retryById, startProgram, type World } from './_world.ts'

const programs = { worker: '', suspect: '' }

beforeAll(async () => {
  programs.worker = builtWorker
  programs.suspect = await buildProgram('test/worker/_suspect-worker.ts')
})

/** Starts a worker and kills it with SIGKILL once the journal has this many more lines, unless it ends earlier. */
async function killAt(world: World, lines: number) {
  const child = startProgram(programs.worker, world)
  const journal = join(world.stateDir, 'journal.jsonl')
  const count = () => (existsSync(journal) ? readFileSync(journal, 'latin1').split('\n').length : 1)
  const goal = count() + lines
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (count() < goal && child.exitCode === null) return
      clearInterval(timer)
      resolve()
    }, 1)
  })
  child.kill('SIGKILL')
  return exited(child)
}

describe('a worker that is killed', () => {
  it('loses no event, leaves no partial line, and repeats deliveries with the same id', async () => {
    const rounds = isFull ? 100 : 6
    let answers = false
    const { url } = await startReceiver({ script: [() => (answers ? {} : 'blackhole')] })
    const world = makeWorld()
    // While nothing answers, the events for `web` are still claimed when the worker is killed.
    world.configure({
      channels: {
        file: { type: 'file', path: world.outFile },
        web: { type: 'slack', url: `${url}/services/x` },
      },
      routes: [
        { on: ['*'], to: ['file'] },
        { on: ['Stop'], to: ['web'] },
      ],
      lingerSeconds: 0,
    })
    const ids: string[] = []
    const stops: string[] = []
    const copiesOf = (id: string) => world.lines().filter((line) => line.id === id).length
    /** The events that the journal records as delivered to the file, each with its number of deliveries at that time. */
    const recorded = new Map<string, number>()
    for (let round = 0; round < rounds; round += 1) {
      stops.push(world.accept({ hook_event_name: 'Stop', session_id: `s${round}` }))
      for (let index = 1; index < 20; index += 1)
        ids.push(world.accept({ message: `${round} ${index}` }))
      await killAt(world, 1 + Math.floor(Math.random() * 40))
      for (const { id, channels } of await world.statuses()) {
        if (channels.file?.state === 'delivered' && !recorded.has(id))
          recorded.set(id, copiesOf(id))
      }
    }
    ids.push(...stops)
    answers = true
    // An event that was claimed during three crashes is set aside, so those are retried by hand.
    const last = startProgram(programs.worker, world)
    expect(await exited(last)).toBe(0)
    for (const item of findDead(world.stateDir)) await retryDead(world.stateDir, item)
    await world.untilIdle()

    const lines = world.lines()
    expect(new Set(lines.map(({ id }) => id))).toEqual(new Set(ids))
    const statuses = await world.statuses()
    expect(countOutcomes(statuses)).toEqual({ delivered: ids.length })
    expect(world.list('new')).toEqual([])
    expect(readdirSync(world.spool.cur)).toEqual([])
    const web = statuses.flatMap(({ channels }) => channels.web?.state ?? [])
    expect(web).toEqual(stops.map(() => 'delivered'))
    // A delivery that was recorded is never repeated.
    expect(recorded.size).toBeGreaterThan(0)
    expect(new Map([...recorded.keys()].map((id) => [id, copiesOf(id)]))).toEqual(recorded)
  })

  it('leaves its events to the next worker, which delivers every one of them', async () => {
    const world = makeWorld()
    for (let index = 0; index < 20; index += 1) world.accept({ message: `${index}` })
    await killAt(world, 25)
    await world.untilIdle()
    expect(new Set(world.lines().map(({ id }) => id)).size).toBe(20)
    expect(countOutcomes(await world.statuses())).toEqual({ delivered: 20 })
  })
})

describe('an event that crashes the worker', () => {
  async function crashThreeTimes() {
    const world = makeWorld()
    const neighbours = [1, 2, 3].map((index) => world.accept({ message: `neighbour ${index}` }))
    const poison = world.accept({ message: 'POISON' })
    for (let crash = 0; crash < 3; crash += 1) {
      expect(await exited(startProgram(programs.suspect, world))).toBe('SIGKILL')
      // Later events are delivered although the crashing event is not yet identified.
      neighbours.push(world.accept({ message: `later ${crash}` }))
    }
    const delivered = () => new Set(world.lines().map(({ id }) => id))
    return { world, neighbours, poison, delivered }
  }

  it('is set aside after three crashes, while the other events are delivered', async () => {
    const { world, neighbours, poison, delivered } = await crashThreeTimes()
    expect(delivered()).toEqual(new Set(neighbours.slice(0, -1)))
    expect(await exited(startProgram(programs.suspect, world))).toBe(0)
    expect(delivered()).toEqual(new Set(neighbours))
    expect(world.dead()).toEqual([poison])
    expect(await world.statusOf(poison)).toMatchObject({
      outcome: 'dead',
      reason: 'the worker ended 3 times while it had this event',
    })
    await retryById(world, poison)
    await world.once()
    expect(await world.statusOf(poison)).toMatchObject({ outcome: 'delivered' })
  })
})

describe('events of a killed worker, of whose channels one hangs', () => {
  it('reach the other channels before the first attempt of that channel is given up', async () => {
    const { url } = await startReceiver({ script: ['blackhole'] })
    const web = { type: 'slack', url: `${url}/services/x` }
    const world = makeWorld({ channels: { web }, deliveryTimeoutSeconds: 600 })
    for (let index = 0; index < 20; index += 1) {
      const id = world.accept({ session_id: `${index}`, message: 'hello' })
      renameSync(join(world.spool.new, id), join(world.spool.new, `${id}~1`))
    }
    const worker = startProgram(programs.worker, world)
    await expect.poll(() => world.lines().length).toBe(20)
    const failed = (await world.statuses()).filter(
      ({ channels }) => channels.web?.state === 'deferred',
    )
    expect(failed).toEqual([])
    worker.kill('SIGKILL')
    await exited(worker)
  })
})

describe('a worker that receives SIGTERM', () => {
  it('releases its events without counting a crash, and repeats no delivery', async () => {
    const { url, received } = await startReceiver({ script: ['blackhole'] })
    const web = { type: 'slack', url: `${url}/services/x` }
    const world = makeWorld({ channels: { web } })
    const id = world.accept({ message: 'hello' })
    for (let round = 1; round <= 4; round += 1) {
      const worker = startProgram(programs.worker, world)
      await expect.poll(() => received.length).toBe(round)
      // Only a recorded delivery is safe from repetition, so wait for the record.
      const channels = { file: { state: 'delivered' } }
      await expect.poll(() => world.statusOf(id)).toMatchObject({ channels })
      worker.kill('SIGTERM')
      expect(await exited(worker)).toBe(0)
      expect(world.list('new')).toEqual([`${id}~0`])
      expect(await world.statusOf(id)).toMatchObject({ outcome: 'waiting' })
    }
    expect(world.lines()).toHaveLength(1)
  })
})

describe('a worker that receives SIGTERM while a message is being sent', () => {
  /** A worker that is sending four messages, the most at the same time, while a fifth one waits. */
  async function makeSending(signals: NodeJS.Signals[] = ['SIGTERM']) {
    const { step, give: answer } = holdAnswer()
    const { url, received } = await startReceiver({ script: [step] })
    const world = makeWorld({ channels: { web: { type: 'webhook', url } } })
    const ids = [1, 2, 3, 4, 5].map((index) => world.accept({ message: `${index}` }))
    const worker = startProgram(programs.worker, world)
    await expect.poll(() => received).toHaveLength(4)
    for (const signal of signals) worker.kill(signal)
    await expect.poll(() => world.list('new')).toHaveLength(1)
    const [waiting = ''] = world.list('new').map((name) => name.replace(/~0$/, ''))
    return { world, received, worker, answer, waiting, sent: ids.filter((id) => id !== waiting) }
  }

  it('records it, and starts no other message', async () => {
    const { world, received, worker, answer, waiting, sent } = await makeSending()
    answer()
    expect(await exited(worker)).toBe(0)
    for (const id of sent) {
      expect(await world.statusOf(id)).toMatchObject({ channels: { web: { state: 'delivered' } } })
    }
    expect(world.list('new')).toEqual([`${waiting}~0`])
    expect(received).toHaveLength(4)
    await world.once()
    expect(received).toHaveLength(5)
    expect(await world.statusOf(waiting)).toMatchObject({ outcome: 'delivered' })
  })

  it('records it although a second signal follows at once, as from npm', async () => {
    const { world, worker, answer, waiting, sent } = await makeSending(['SIGINT', 'SIGTERM'])
    answer()
    expect(await exited(worker)).toBe(0)
    for (const id of sent) {
      expect(await world.statusOf(id)).toMatchObject({ channels: { web: { state: 'delivered' } } })
    }
    expect(world.list('new')).toEqual([`${waiting}~0`])
  })

  it('releases it at a second signal', async () => {
    const { world, worker, sent, waiting } = await makeSending()
    const ended = exited(worker)
    // Repeated, because a second signal that follows at once counts as the same request.
    const again = setInterval(() => worker.kill('SIGTERM'), 50)
    onTestFinished(() => clearInterval(again))
    expect(await ended).toBe(0)
    expect(world.list('new').sort()).toEqual([...sent, waiting].map((id) => `${id}~0`).sort())
    for (const id of sent) expect(await world.statusOf(id)).toMatchObject({ outcome: 'waiting' })
  })
})

describe('a worker that is stopped beyond the deadline of a message', () => {
  it('accepts the response that arrived meanwhile', async () => {
    const deadlineSeconds = 10
    const answer = holdAnswer()
    const { url, received } = await startReceiver({ script: [answer.step] })
    const web = { type: 'slack', url: `${url}/services/x` }
    const world = makeWorld({ channels: { web }, deliveryTimeoutSeconds: deadlineSeconds })
    const id = world.accept({ message: 'hello' })
    const worker = startProgram(programs.worker, world)
    await expect.poll(() => received.length).toBe(1)
    worker.kill('SIGSTOP')
    answer.give()
    await sleep(1000 * (deadlineSeconds + 1))
    worker.kill('SIGCONT')
    expect(await exited(worker)).toBe(0)
    expect(received).toHaveLength(1)
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'delivered' })
  })
})

describe('a worker that receives SIGHUP', () => {
  it('continues, because the terminal that closes is not its own', async () => {
    const world = makeWorld()
    const config = JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8'))
    world.configure({ ...config, lingerSeconds: 600 })
    world.accept({ message: 'before' })
    const worker = startProgram(programs.worker, world)
    await expect.poll(() => world.lines()).toHaveLength(1)
    worker.kill('SIGHUP')
    world.accept({ message: 'after' })
    await expect.poll(() => world.lines()).toHaveLength(2)
  })
})

describe('an event that arrives while the worker ends', () => {
  it('is delivered by this worker or by a new one', async () => {
    const count = isFull ? 4000 : 150
    const world = makeWorld()
    const running = new Set<Promise<unknown>>()
    let workers = 0
    for (let index = 0; index < count; index += 1) {
      world.accept({ message: `${index}` })
      // Like the front door, which checks the lock after it has stored the event.
      const start = world.untilIdle().then((summary) => {
        if (summary) workers += 1
        running.delete(start)
      })
      running.add(start)
      if (Math.random() < 0.7) await Promise.race(running)
      // On a busy machine, a worker may never become idle; this gives it the time.
      if (index % 50 === 49) await Promise.all(running)
    }
    await Promise.all(running)
    expect(world.list('new')).toEqual([])
    expect(world.lines()).toHaveLength(count)
    expect(countOutcomes(await world.statuses())).toEqual({ delivered: count })
    expect(workers).toBeGreaterThan(1)
  })

  it.skipIf(!hasStrace)('is delivered by this worker while its lock is still there', async () => {
    const world = makeWorld()
    const lock = join(world.stateDir, 'worker.lock')
    const log = join(world.folder, 'log')
    world.accept({ message: 'first' })
    // The worker has decided to end when it removes its lock. That takes ten seconds here.
    const delay = ['-P', lock, '-e', 'inject=unlink,unlinkat:delay_enter=10000000']
    const words = ['-f', '-o', log, ...delay, process.execPath, programs.worker]
    const strace = spawn('strace', words, { env: world.env, stdio: 'ignore' })
    onTestFinished(() => void strace.kill('SIGKILL'))
    await expect.poll(() => readQuietly(log)).toContain('unlink')
    world.accept({ message: 'second' })
    // A front door that finds the lock starts no worker. Without the lock it would.
    expect(existsSync(lock)).toBe(true)
    await exited(strace)
    expect(world.lines()).toHaveLength(2)
  })
})
