import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ConfigProblem } from '../../src/worker/config-problem.ts'
import { openWorker } from '../../src/worker/open-worker.ts'
import { makeWorld } from './_world.ts'

/** A world in which the alarm about a broken configuration arrives in the same file as the events. */
function makeTelling() {
  const world = makeWorld()
  const settings = (lingerSeconds: number) =>
    JSON.stringify({
      channels: { desktop: { type: 'file', path: world.outFile } },
      routes: [{ on: ['*'], to: ['desktop'] }],
      lingerSeconds,
    })
  world.configure(settings(600))
  const path = join(world.configDir, 'config.json')
  return {
    ...world,
    settings,
    path,
    write: (text: string) => writeFileSync(path, text),
    bodies: () => world.lines().map(({ body }) => body),
  }
}

describe('a configuration that is being saved', () => {
  it.each(['', '{ "channels": { "des'])(
    'is no problem while only %j of it is there, and the last good settings stay in force',
    async (half) => {
      const { accept, bodies, settings, untilIdle, write } = makeTelling()
      const running = untilIdle()
      accept({ message: 'before' })
      await expect.poll(bodies).toEqual(['before'])
      write(half)
      accept({ message: 'meanwhile' })
      await expect.poll(bodies).toEqual(['before', 'meanwhile'])
      write(settings(0))
      accept({ message: 'after' })
      await running
      expect(bodies()).toEqual(['before', 'meanwhile', 'after'])
    },
  )

  it('keeps its settings while an editor has moved the file away', async () => {
    const { accept, bodies, path, settings, untilIdle, write } = makeTelling()
    const running = untilIdle()
    accept({ message: 'before' })
    await expect.poll(bodies).toEqual(['before'])
    rmSync(path)
    // By the built-in routes it would be told to nobody.
    accept({ hook_event_name: 'SubagentStop' })
    await expect.poll(() => bodies().length).toBe(2)
    write(settings(0))
    accept({ message: 'after' })
    await running
    expect(bodies()).toHaveLength(3)
  })
})

describe('a problem of the configuration', () => {
  it('is told by a running worker if it is still there after a while', async () => {
    const { accept, bodies, settings, untilIdle, write } = makeTelling()
    const running = untilIdle()
    accept({ message: 'before' })
    await expect.poll(bodies).toEqual(['before'])
    write('nonsense')
    accept({ message: 'meanwhile' })
    await expect
      .poll(bodies, { timeout: 10_000 })
      .toEqual(['before', 'meanwhile', expect.stringContaining('not JSON')])
    write(settings(0))
    accept({ message: 'after' })
    await running
  })

  it('is told by a single run before it ends, even if the file was changed just now', async () => {
    const { bodies, once, write } = makeTelling()
    await once()
    write('nonsense')
    await once()
    expect(bodies()).toEqual([expect.stringContaining('not JSON')])
  })

  it('is told at once if the file was changed before', () => {
    const { write, ...world } = makeTelling()
    write('nonsense')
    const { deps } = openWorker(world)
    const later = { ...deps, now: () => Date.now() + 3000 }
    expect(new ConfigProblem(deps).check(deps.config.get())).toBeUndefined()
    expect(new ConfigProblem(later).check(deps.config.get())).toBeDefined()
    deps.store.close()
  })
})
