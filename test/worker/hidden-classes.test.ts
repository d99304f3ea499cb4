import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, it } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { makeWorld } from './_world.ts'

const EVENTS = 300

it('a worker creates no hidden class of V8 for each event, which would slow down all code', async () => {
  const world = makeWorld()
  for (let index = 0; index < EVENTS; index += 1) {
    world.accept({ hook_event_name: 'Stop', session_id: `s${index}`, cwd: '/tmp' })
  }
  const log = join(world.folder, 'maps.log')
  const flags = [
    '--log-maps',
    '--no-log-maps-details',
    '--no-logfile-per-isolate',
    `--logfile=${log}`,
  ]
  const program = join(packageRoot(), 'bin/hookbell')
  await execa(process.execPath, [...flags, program, 'worker', '--once'], { env: world.env })
  expect(world.lines()).toHaveLength(EVENTS)
  expect(addedEachTime(readFileSync(log, 'utf8'))).toEqual([])
})

/** Properties whose addition to an object created a hidden class for every event, without symbols, which are of Node.js. */
function addedEachTime(log: string): string[] {
  const times = new Map<string, number>()
  for (const line of log.split('\n')) {
    const [kind, type, , , , , , , , name = ''] = line.split(',')
    if (kind !== 'map' || type !== 'Transition' || name.startsWith('symbol(')) continue
    times.set(name, (times.get(name) ?? 0) + 1)
  }
  return [...times].flatMap(([name, count]) => (count >= EVENTS ? name : []))
}
