import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { readCodeCache, writeCodeCache } from '../../src/fs/code-cache.ts'
import { compileWorker, installFrontDoor } from '../../src/install/front-door.ts'
import { packageRoot } from '../../src/package-root.ts'
import { makeDelivery } from '../support/delivery.ts'
import { park } from '../support/parked.ts'
import { makeWorld, type World } from './_world.ts'

const SOURCE = Buffer.from('(function(){ return 1 })')
const CODE = Buffer.from('what V8 made of it')

describe('a code cache file', () => {
  let path: string
  beforeEach(() => {
    path = join(makeWorld().folder, 'code.cache')
    writeCodeCache(path, SOURCE, () => CODE)
  })

  it('returns what was written, and is private to the user', () => {
    expect(readCodeCache(path, SOURCE)).toEqual(CODE)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('is rejected for another source of the same length', () => {
    expect(readCodeCache(path, Buffer.from(`${SOURCE}`.replace('1', '2')))).toBeUndefined()
  })

  it('is rejected when any byte of it was changed, or when it is too short', () => {
    const whole = readFileSync(path)
    for (const index of whole.keys()) {
      const damaged = Buffer.from(whole)
      damaged[index] = (damaged[index] ?? 0) ^ 1
      writeFileSync(path, damaged)
      expect(readCodeCache(path, SOURCE)).toBeUndefined()
    }
    writeFileSync(path, whole.subarray(0, 10))
    expect(readCodeCache(path, SOURCE)).toBeUndefined()
  })

  it.each([0o620, 0o602])('is rejected if others can write it: %o', (mode) => {
    chmodSync(path, mode)
    expect(readCodeCache(path, SOURCE)).toBeUndefined()
  })

  it.runIf(process.getuid?.() === 0)('is rejected if it belongs to another user', () => {
    chownSync(path, 1234, 0)
    expect(readCodeCache(path, SOURCE)).toBeUndefined()
  })

  it('leaves nothing behind if it cannot be written, and is replaced after a start that was killed', () => {
    writeCodeCache(path, SOURCE, () => {
      throw new Error('nothing is compiled')
    })
    expect(readdirSync(dirname(path)).filter((name) => name.startsWith('code.'))).toEqual([
      'code.cache',
    ])
    expect(readCodeCache(path, SOURCE)).toEqual(CODE)
    writeFileSync(`${path}.new`, 'half')
    writeCodeCache(path, SOURCE, () => SOURCE)
    expect(readCodeCache(path, SOURCE)).toEqual(SOURCE)
  })

  it('is whole in the end when two processes write it at once', () => {
    writeCodeCache(path, SOURCE, () => {
      writeCodeCache(path, SOURCE, () => CODE)
      return SOURCE
    })
    expect([CODE, SOURCE]).toContainEqual(readCodeCache(path, SOURCE))
    expect(existsSync(`${path}.new`)).toBe(false)
  })

  // Not 0o775 for an ordinary user: a group without another member is trusted.
  const unsafe = process.getuid?.() === 0 ? [0o757, 0o775] : [0o757]
  it.each(unsafe)('is not written to a folder that others can write: %o', (mode) => {
    const folder = join(dirname(path), 'shared')
    mkdirSync(folder)
    chmodSync(folder, mode)
    writeCodeCache(join(folder, 'code.cache'), SOURCE, () => CODE)
    expect(readdirSync(folder)).toEqual([])
  })

  it('is not read from a folder where others can put a link to another file of the user', () => {
    chmodSync(dirname(path), 0o777)
    expect(readCodeCache(path, SOURCE)).toBeUndefined()
  })

  it.runIf(process.getuid?.() === 0)('is not written to a folder of another user', () => {
    const folder = join(dirname(path), 'other')
    mkdirSync(folder, { mode: 0o755 })
    chownSync(folder, 1234, 1234)
    writeCodeCache(join(folder, 'code.cache'), SOURCE, () => CODE)
    expect(readdirSync(folder)).toEqual([])
  })

  it('is not read through a symbolic link', () => {
    symlinkSync(path, `${path}.link`)
    expect(readCodeCache(`${path}.link`, SOURCE)).toBeUndefined()
  })
})

describe('a worker and its code cache', () => {
  let world: World
  let dist: string
  beforeEach(() => {
    world = makeWorld()
    const copy = join(world.folder, 'copy')
    dist = join(copy, 'dist')
    mkdirSync(dist, { recursive: true })
    for (const part of ['dist/worker.cjs', 'dist/worker-code.cjs', 'dist/packages', 'templates']) {
      cpSync(join(packageRoot(), part), join(copy, part), { recursive: true })
    }
  })

  async function deliverOne(event: object = {}) {
    const id = world.accept(event)
    await once(startWorker(), 'exit')
    expect(delivered()).toContain(id)
  }

  function startWorker() {
    const env = {
      HOME: world.folder,
      HOOKBELL_STATE_DIR: world.stateDir,
      HOOKBELL_CONFIG_DIR: world.configDir,
    }
    const child = spawn(process.execPath, [join(dist, 'worker.cjs')], { env, stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }

  const delivered = () => world.lines().map((line) => line.id)

  /** Runs a worker that caches the result of the check. The file must be so old that a change would alter its timestamp. */
  async function validateConfig() {
    const { ctimeMs } = statSync(join(world.configDir, 'config.json'))
    await expect.poll(() => Date.now() - ctimeMs).toBeGreaterThan(2000)
    await deliverOne()
    expect(existsSync(join(world.stateDir, 'cache/checked-config.json'))).toBe(true)
  }

  const cache = () => join(dist, 'worker-code.cache')
  const source = () => readFileSync(join(dist, 'worker-code.cjs'))

  it('writes the cache in the first run and keeps it in the next one', async () => {
    await deliverOne()
    expect(readCodeCache(cache(), source())?.length).toBeGreaterThan(100_000)
    const { ino } = statSync(cache())
    await deliverOne()
    expect(statSync(cache()).ino).toBe(ino)
  })

  it.each([
    ['damaged', () => writeFileSync(cache(), 'nonsense')],
    ['of another source', () => writeCodeCache(cache(), SOURCE, () => CODE)],
    ['refused by V8', () => writeCodeCache(cache(), source(), () => CODE)],
  ])('replaces a cache that is %s, and delivers the event', async (_, spoil) => {
    spoil()
    await deliverOne()
    expect(readCodeCache(cache(), source())?.length).toBeGreaterThan(100_000)
  })

  it('needs no installed packages, not even for webhook and command channels', async () => {
    const server = createServer((request, response) => {
      request.resume().on('end', () => response.end('ok'))
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const hook = { type: 'webhook', url: `http://127.0.0.1:${port}/` }
    const path = join(world.configDir, 'config.json')
    const { channels, routes, ...rest } = JSON.parse(readFileSync(path, 'utf8'))
    const run = { type: 'command', argv: [process.execPath, '--version'] }
    const all = { ...channels, hook, run }
    const config = { ...rest, channels: all, routes: [{ on: ['*'], to: Object.keys(all) }] }
    writeFileSync(path, JSON.stringify(config))
    // The second run uses the cache of the first one.
    for (const count of [1, 2]) {
      await deliverOne()
      const journal = readFileSync(join(world.stateDir, 'journal.jsonl'), 'utf8')
      expect(journal.match(/"type":"delivered","channel":"hook"/g)).toHaveLength(count)
      expect(journal.match(/"type":"delivered","channel":"run"/g)).toHaveLength(count)
    }
  })

  it('starts without loading zod once the configuration was validated', async () => {
    const config = join(world.configDir, 'config.json')
    await validateConfig()
    writeFileSync(join(dist, 'packages/zod.cjs'), 'throw new Error("not to be loaded")')
    await deliverOne()
    writeFileSync(config, readFileSync(config))
    await expect(deliverOne()).rejects.toThrow()
  })

  it('keeps a parked delivery while its own files are being replaced', async () => {
    await validateConfig()
    const parked = { since: 0, reason: 'the server was down', isHeld: false }
    park(world.spool, { ...parked, delivery: makeDelivery('parked') })
    const [path, elsewhere] = [join(dist, 'packages/zod.cjs'), join(dist, 'zod.cjs')]
    renameSync(path, elsewhere)
    const id = world.accept({})
    startWorker()
    await expect.poll(delivered).toContain(id)
    renameSync(elsewhere, path)
    await expect.poll(delivered).toContain('parked')
  })

  it.each(['Shall I deploy?', '要我部署吗？', 'هل أنشر التغييرات؟'])(
    'sees that the answer %s is a question',
    async (said) => {
      await deliverOne({ hook_event_name: 'Stop', last_assistant_message: said })
      expect(world.lines().map(({ title }) => title)).toEqual([expect.stringMatching(/ asks you$/)])
    },
  )

  it.each([
    ['worker-code.cjs', 0o666, 0o644],
    ['packages/zod.cjs', 0o666, 0o644],
    ['packages', 0o777, 0o755],
  ])('runs no code that another user can change: %s', async (part, open, closed) => {
    chmodSync(join(dist, part), open)
    world.accept({})
    await once(startWorker(), 'exit')
    expect(delivered()).toEqual([])
    chmodSync(join(dist, part), closed)
    await once(startWorker(), 'exit')
    expect(delivered()).toHaveLength(1)
  })

  it('delivers when the cache cannot be written', async () => {
    mkdirSync(cache())
    await deliverOne()
  })
})

describe('init', () => {
  it('copies only the files of the worker and the front door, not the command line program', async () => {
    const { stateDir } = makeWorld()
    await installFrontDoor({ stateDir })
    expect(readdirSync(join(stateDir, 'runtime/dist')).sort()).toEqual([
      'LICENCES.txt',
      'hook.cjs',
      'packages',
      'worker-code.cache',
      'worker-code.cjs',
      'worker.cjs',
      'worker.js',
    ])
  })

  it('leaves a code cache next to its private copy of the worker', async () => {
    const { stateDir } = makeWorld()
    await installFrontDoor({ stateDir })
    const dist = join(stateDir, 'runtime/dist')
    // The cache of the package may have been copied along.
    rmSync(join(dist, 'worker-code.cache'), { force: true })
    await compileWorker(join(stateDir, 'runtime'), process.execPath)
    const source = readFileSync(join(dist, 'worker-code.cjs'))
    expect(readCodeCache(join(dist, 'worker-code.cache'), source)?.length).toBeGreaterThan(100_000)
    expect(existsSync(join(stateDir, 'runtime/rehearsal'))).toBe(false)
  })
})
