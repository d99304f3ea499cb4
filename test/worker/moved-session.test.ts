import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeMutes } from '../../src/policy/mute-file.ts'
import { startReceiver } from '../support/receiver.ts'
import { makeWorld, type World } from './_world.ts'

/** What tells the worker where the session began: a variable of its client, or its first event. */
const ways = ['its client says so', 'its first event shows it'] as const

function makeRepository(path: string, branch: string) {
  mkdirSync(join(path, '.git'), { recursive: true })
  writeFileSync(join(path, '.git/HEAD'), `ref: refs/heads/${branch}\n`)
}

/** The end of a turn in a session that began in `shop`, whose agent has changed into `lib`, a repository of somebody else. */
async function endElsewhere(
  way: (typeof ways)[number],
  arrange: (world: World) => void = () => {},
) {
  const world = makeWorld()
  const [shop, lib] = [join(world.folder, 'shop'), join(world.folder, 'lib')]
  makeRepository(shop, 'release')
  makeRepository(lib, 'main')
  writeFileSync(join(lib, '.hookbell.json'), '{ "name": "Lib", "mute": true }')
  const [mine, other] = [await startReceiver(), await startReceiver()]
  const of = (project: string, branch: string) => ({
    ...{ on: ['done'], when: { project: [project], branch: [branch] }, to: [project] },
  })
  world.configure({
    channels: {
      shop: { type: 'slack', url: `${mine.url}/services/x` },
      lib: { type: 'slack', url: `${other.url}/services/x` },
    },
    routes: [of('shop', 'release'), of('lib', 'main')],
    noise: { minSeconds: 0 },
    lingerSeconds: 0,
  })
  arrange(world)
  const isSaid = way === 'its client says so'
  const env: Record<string, string> = isSaid ? { CLAUDE_PROJECT_DIR: shop } : {}
  const accept = (cwd: string, event: object) =>
    world.accept({ session_id: 's1', cwd, ...event }, { client: 'claude', env })
  accept(isSaid ? lib : shop, { hook_event_name: 'UserPromptSubmit', prompt: 'Go' })
  await world.once()
  const id = accept(lib, { hook_event_name: 'Stop', last_assistant_message: 'Fixed.' })
  await world.once()
  expect(other.received).toEqual([])
  return { status: await world.statusOf(id), texts: mine.received.map(({ body }) => body) }
}

describe.each(ways)('a session that began elsewhere, as %s', (way) => {
  it('is one of that project for routes, the project file, the title and the journal', async () => {
    const { status, texts } = await endElsewhere(way)
    expect(texts).toEqual([expect.stringContaining('shop: done')])
    expect(status).toMatchObject({ outcome: 'delivered', project: 'shop' })
    expect(status?.trace.map(({ by }) => by)).not.toContain('project file')
  })

  it.each([
    ['its name', () => 'shop', true],
    ['its folder', ({ folder }: World) => join(folder, 'shop'), true],
    ['the folder where the agent works', ({ folder }: World) => join(folder, 'lib'), false],
  ])('is muted by %s, or not', async (_, projectIn, isMuted) => {
    const { status, texts } = await endElsewhere(way, (world) =>
      writeMutes(
        world.stateDir,
        [{ until: 0, questions: true, project: projectIn(world) }],
        Date.now(),
      ),
    )
    expect(texts).toHaveLength(isMuted ? 0 : 1)
    expect(status?.outcome).toBe(isMuted ? 'suppressed' : 'delivered')
  })
})
