import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { flush, setOnHold } from '../../src/worker/control.ts'
import { findDead } from '../../src/worker/dead.ts'
import { builtWorker } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { isFull } from '../support/runs.ts'
import { exited, makeWorld, startProgram, type World } from './_world.ts'

/** Actions in any order. */
const steps = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('accept' as const), count: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ do: fc.constant('nonsense' as const) }),
    fc.record({ do: fc.constant('ignored' as const) }),
    fc.record({ do: fc.constant('twice' as const) }),
    fc.record({ do: fc.constant('kill' as const), afterMs: fc.integer({ min: 0, max: 400 }) }),
    fc.record({ do: fc.constant('end' as const), afterMs: fc.integer({ min: 0, max: 400 }) }),
    fc.record({ do: fc.constant('hold' as const) }),
    fc.record({ do: fc.constant('resume' as const) }),
    fc.record({ do: fc.constant('flush' as const) }),
  ),
  { minLength: 3, maxLength: 10 },
)

/** Status codes of the receiver, in order: success, temporary failure, permanent failure. */
const answers = fc.array(fc.constantFrom(200, 200, 500, 429, 404), { minLength: 1, maxLength: 20 })

function makeRandomWorld(url: string) {
  const world = makeWorld()
  const channels = {
    file: { type: 'file', path: world.outFile },
    hook: { type: 'webhook', url: `${url}/hook` },
  }
  const routes = [
    { on: ['Notification'], to: ['file', 'hook'] },
    { on: ['Stop'], to: ['hook'] },
  ]
  const retry = { firstDelaySeconds: 0.05, maxDelaySeconds: 0.1, maxAttempts: 3 }
  world.configure({ channels, routes, retry, lingerSeconds: 0 })
  return world
}

type Step = (typeof steps extends fc.Arbitrary<infer Steps> ? Steps : never)[number]

function acceptFor(step: Step, world: World): string[] {
  if (step.do === 'accept') {
    return Array.from({ length: step.count }, (_, index) =>
      world.accept({ session_id: `s${index % 3}`, message: `${index} ${Math.random()}` }),
    )
  }
  if (step.do === 'nonsense') return [world.acceptRaw('no JSON')]
  if (step.do === 'ignored') return [world.accept({ hook_event_name: 'SubagentStop' })]
  if (step.do !== 'twice') return []
  const stop = { hook_event_name: 'Stop', session_id: 's', last_assistant_message: 'done' }
  return [world.accept(stop), world.accept(stop, { shared: true })]
}

async function play(step: Step, world: World): Promise<string[]> {
  if (step.do === 'hold' || step.do === 'resume') setOnHold(world.stateDir, step.do === 'hold')
  if (step.do === 'flush') flush(world.stateDir)
  if (step.do === 'kill' || step.do === 'end') {
    const worker = startProgram(builtWorker, world)
    await Promise.race([exited(worker), sleep(150 + step.afterMs)])
    worker.kill(step.do === 'kill' ? 'SIGKILL' : 'SIGTERM')
    await exited(worker)
  }
  return acceptFor(step, world)
}

/** Checks that each event has one outcome, and that each dead event is in the spool. */
async function expectReconciled(world: World, ids: readonly string[]) {
  // Our own events, which report dead channels, are left out.
  const statuses = (await world.statuses()).filter(({ client }) => client !== 'hookbell')
  expect(statuses.map(({ id }) => id).sort()).toEqual([...ids].sort())
  const dead = new Set(findDead(world.stateDir).map(({ event }) => event))
  for (const { id, outcome } of statuses) {
    if (outcome === 'dead') expect(dead).toContain(id)
    else expect(['delivered', 'suppressed']).toContain(outcome)
  }
  const told = new Set(world.lines().map(({ id }) => id))
  for (const { id, channels } of statuses) {
    expect(channels.file?.state === 'delivered').toBe(told.has(id))
  }
}

describe('after any sequence of failures, kills and holds', () => {
  it('every accepted event is delivered, suppressed or dead, and the spool is empty', async () => {
    await fc.assert(
      fc.asyncProperty(steps, answers, async (row, statuses) => {
        const { url, close } = await startReceiver({ script: [...statuses, 200] })
        const world = makeRandomWorld(url)
        const ids: string[] = []
        for (const step of row) ids.push(...(await play(step, world)))
        setOnHold(world.stateDir, false)
        expect(await exited(startProgram(builtWorker, world))).toBe(0)
        await expectReconciled(world, ids)
        for (const folder of ['new', 'cur'] as const) {
          expect(readdirSync(world.spool[folder])).toEqual([])
        }
        await close()
      }),
      { numRuns: isFull ? 100 : 4, interruptAfterTimeLimit: isFull ? 500_000 : 90_000 },
    )
  })
})
