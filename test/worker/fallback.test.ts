import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fallbackStateDir } from '../../src/config/paths.ts'
import { packageRoot } from '../../src/package-root.ts'
import { acceptEvent } from '../../src/spool/event-file.ts'
import { prepareSpool } from '../../src/spool/layout.ts'
import { mayStart } from '../../src/spool/lock/start-marker.ts'
import { notesIn } from '../../src/worker/memory.ts'
import { reportedIn } from '../../src/worker/own-messages/config-problem.ts'
import { servedFolders } from '../../src/worker/served-folders.ts'
import { makeHome } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'
import { countOutcomes, makeWorld, type World } from './_world.ts'

const isRoot = process.getuid?.() === 0
const BODY = Buffer.from('{"hook_event_name":"Notification"}')
const HEADER = { client: 'claude', env: {} }

function makeFallback(world: World) {
  const env = { XDG_RUNTIME_DIR: join(world.folder, 'run') }
  const folder = fallbackStateDir(world.stateDir, env)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  prepareSpool(folder)
  return { folder, env }
}

/** Starts a worker as the front door does, and waits for its end. */
async function runWorker(world: World, more: NodeJS.ProcessEnv) {
  const script = join(packageRoot(), 'dist/worker.js')
  const env = {
    HOME: world.folder,
    HOOKBELL_STATE_DIR: world.stateDir,
    HOOKBELL_CONFIG_DIR: world.configDir,
    ...more,
  }
  const child = spawn(process.execPath, [script], { env, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'exit')
}

const idsOf = (world: World) => world.lines().map(({ id }) => id)

describe('a worker with a fallback folder', () => {
  it('delivers the events of the fallback folder', async () => {
    const world = makeWorld()
    const { folder, env } = makeFallback(world)
    const ids = [world.accept({}), acceptEvent(folder, HEADER, BODY)]
    await runWorker(world, env)
    expect(idsOf(world).sort()).toEqual(ids.sort())
  })

  it.skipIf(!isRoot)(
    'delivers the other events when the fallback folder belongs to another user',
    async () => {
      const world = makeWorld()
      const { folder, env } = makeFallback(world)
      acceptEvent(folder, HEADER, BODY)
      for (const path of ['.', 'spool', 'spool/new']) chownSync(join(folder, path), 54321, 54321)
      const ids = Array.from({ length: 5 }, () => world.accept({}))
      await runWorker(world, env)
      expect(idsOf(world).sort()).toEqual(ids.sort())
    },
  )

  it.skipIf(!isRoot)(
    'delivers its events when the state folder belongs to another user',
    async () => {
      const world = makeWorld()
      const { folder, env } = makeFallback(world)
      const id = acceptEvent(folder, HEADER, BODY)
      chownSync(world.stateDir, 54321, 54321)
      await runWorker(world, env)
      expect(idsOf(world)).toEqual([id])
    },
  )

  it.skipIf(!isRoot)('leaves out a folder that belongs to another user', () => {
    const world = makeWorld()
    const { folder, env } = makeFallback(world)
    acceptEvent(folder, HEADER, BODY)
    expect(servedFolders(world.stateDir, env)).toEqual([world.stateDir, folder])
    chownSync(folder, 54321, 54321)
    expect(servedFolders(world.stateDir, env)).toEqual([world.stateDir])
    chownSync(folder, 0, 0)
    chownSync(world.stateDir, 54321, 54321)
    expect(servedFolders(world.stateDir, env)).toEqual([folder])
  })

  it('serves each folder once, even if two paths lead to it', () => {
    const world = makeWorld()
    world.accept({})
    const env = { XDG_RUNTIME_DIR: join(world.folder, 'run') }
    const fallback = fallbackStateDir(world.stateDir, env)
    mkdirSync(env.XDG_RUNTIME_DIR)
    symlinkSync(world.stateDir, fallback)
    expect(servedFolders(world.stateDir, env)).toEqual([world.stateDir])
    expect(servedFolders(world.stateDir, { HOOKBELL_FALLBACK_DIR: world.stateDir })).toEqual([
      world.stateDir,
    ])
  })

  it('retries failed deliveries of the fallback folder', async () => {
    const world = makeWorld({ channels: { chat: { type: 'slack', url: 'http://127.0.0.1:1/x' } } })
    const { folder, env } = makeFallback(world)
    acceptEvent(folder, HEADER, BODY)
    await runWorker(world, env)
    const attempts = readFileSync(join(folder, 'journal.jsonl'), 'utf8').match(/"attempt":[2-9]/g)
    expect(attempts?.length).toBeGreaterThan(0)
  })

  it('retries failed deliveries when both folders are the same', async () => {
    const { url, received } = await startReceiver({ script: [500, 200] })
    const world = makeWorld({ channels: { chat: { type: 'slack', url: `${url}/x` } } })
    world.accept({})
    await runWorker(world, { HOOKBELL_FALLBACK_DIR: world.stateDir })
    expect(received).toHaveLength(2)
    expect(countOutcomes(await world.statuses())).toEqual({ delivered: 1 })
  })

  it('reports a mistake in the configuration once', async () => {
    const world = makeWorld()
    const good = JSON.stringify({
      channels: { desktop: { type: 'file', path: world.outFile } },
      routes: [{ on: ['*'], to: ['desktop'] }],
      lingerSeconds: 0,
    })
    world.configure(good)
    await world.once()
    world.configure(`${good}}`)
    const { folder, env } = makeFallback(world)
    const ids = [world.accept({}), acceptEvent(folder, HEADER, BODY)]
    await runWorker(world, env)
    expect(world.lines().filter(({ body }) => body.includes('not JSON'))).toHaveLength(1)
    expect(idsOf(world)).toEqual(expect.arrayContaining(ids))
    // The note is in the state folder, because the worker of that folder also withdraws the report.
    const isNoted = [world.stateDir, folder].map((one) => reportedIn(notesIn(one)).hash !== '')
    expect(isNoted).toEqual([true, false])
  })

  it('is reported by `status` until the fallback folder is empty', async () => {
    const home = await makeHome({
      channels: { file: { type: 'file', path: '~/out.jsonl' } },
      routes: [{ on: ['*'], to: ['file'] }],
      lingerSeconds: 0,
    })
    const folder = fallbackStateDir(home.state, home.env)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    await home.run('worker')
    acceptEvent(folder, HEADER, BODY)
    const problems = async () => JSON.parse((await home.run('status', '--json')).stdout).problems
    expect(await problems()).toEqual([`events are stored in ${folder}: ${home.state} failed`])
    await home.run('worker', '--once')
    expect(home.read('out.jsonl')).toContain('Notification')
    expect(await problems()).toEqual([])
    const corrupt = join(folder, 'spool/corrupt')
    mkdirSync(join(corrupt, 'no-event'))
    expect(await problems()).toEqual([`1 damaged or foreign in ${corrupt}`])
  })

  it('removes the start marker of the fallback folder even if that is empty', async () => {
    const world = makeWorld()
    const { folder, env } = makeFallback(world)
    mayStart(folder)
    await runWorker(world, env)
    expect(mayStart(folder)).toBe(true)
  })

  it('ignores the fallback folder while it is empty', () => {
    const world = makeWorld()
    const { folder, env } = makeFallback(world)
    expect(existsSync(folder)).toBe(true)
    expect(servedFolders(world.stateDir, env)).toEqual([world.stateDir])
  })
})
