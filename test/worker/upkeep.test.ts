import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { listIfThere } from '../../src/fs/read.ts'
import { sweep } from '../../src/spool/caps.ts'
import { prepareSpool } from '../../src/spool/layout.ts'
import { scrubEnvironment, wasInfluenced } from '../../src/worker/isolate.ts'
import { openWorker } from '../../src/worker/open-worker.ts'
import { deadOf } from '../support/parked.ts'
import { builtWorker } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { exited, makeWorld, readLines, startProgram } from './_world.ts'

const ticksOf = (pid = 0) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

describe('a worker whose disk is full', () => {
  it('still delivers, and keeps the event until the delivery can be recorded', async () => {
    const world = makeWorld()
    const journal = join(world.stateDir, 'journal.jsonl')
    mkdirSync(journal)
    const id = world.accept({ message: 'hello' })
    const running = world.untilIdle()
    await expect.poll(() => world.lines()).toHaveLength(1)
    expect(world.spool.cur && ownedIn(world.spool.cur)).toEqual([id])
    rmdirSync(journal)
    await running
    expect(world.lines()).toHaveLength(1)
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'delivered' })
    expect(ownedIn(world.spool.cur)).toEqual([])
  })

  it('does not repeat a delivery that it could not record', async () => {
    const world = makeWorld()
    const journal = join(world.stateDir, 'journal.jsonl')
    // The journal exists at first, because a message may be sent before the first record.
    writeFileSync(journal, '', { mode: 0o600 })
    const breakJournal = () => {
      renameSync(journal, `${journal}.kept`)
      mkdirSync(journal)
      return { status: 200 }
    }
    const { url, received } = await startReceiver({ script: [breakJournal] })
    const channels = { team: { type: 'slack', url: `${url}/services/x` } }
    world.configure({ channels, routes: [{ on: ['*'], to: ['team'] }], lingerSeconds: 0 })
    const id = world.accept({ message: 'hello' })
    const running = world.untilIdle()
    await expect.poll(() => received).toHaveLength(1)
    expect(ownedIn(world.spool.cur)).toEqual([id])
    rmdirSync(journal)
    renameSync(`${journal}.kept`, journal)
    await running
    expect(received).toHaveLength(1)
    expect(await world.statusOf(id)).toMatchObject({ outcome: 'delivered' })
    expect(world.list('new')).toEqual([])
  })
})

describe('a broken configuration', () => {
  const configWith = (path: string) =>
    JSON.stringify({
      channels: { desktop: { type: 'file', path } },
      routes: [{ on: ['*'], to: ['desktop'] }],
      lingerSeconds: 0,
    })

  it('loses no event, and is reported once until it is fixed', async () => {
    const world = makeWorld()
    const good = configWith(world.outFile)
    const titles = () =>
      world.lines().map(({ title, body }) => (title ? `${title}: ${body}` : body))
    const deliver = async (message: string) => {
      world.accept({ message })
      await world.once()
    }
    world.configure(good)
    await deliver('one')
    world.configure(`${good}}`)
    await deliver('two')
    await deliver('three')
    expect(
      titles().filter((title) =>
        /hookbell: the configuration cannot be used: .*config\.json:1:\d+: not JSON/.test(title),
      ),
    ).toHaveLength(1)
    expect(titles().filter((title) => /one|two|three/.test(title))).toHaveLength(3)
    expect(titles().join()).toContain('Until it is fixed, the last good settings are used')
    world.configure(good)
    await deliver('four')
    world.configure(`${good}}`)
    await deliver('five')
    expect(titles().filter((title) => title.includes('not JSON'))).toHaveLength(2)
  })

  it('is reported by a worker that is already running', async () => {
    const world = makeWorld()
    const good = configWith(world.outFile)
    world.configure(good.replace('"lingerSeconds":0', '"lingerSeconds":600'))
    const running = world.untilIdle()
    world.accept({ message: 'one' })
    await expect.poll(() => world.lines()).toHaveLength(1)
    world.configure('nonsense')
    world.accept({ message: 'two' })
    await expect
      .poll(() => world.lines().filter(({ body }) => body.includes('not JSON')))
      .toHaveLength(1)
    world.configure(good)
    world.accept({ message: 'three' })
    await running
    expect(world.lines()).toHaveLength(4)
  })

  it('is reported to the display of the last session', async () => {
    const { url } = await startReceiver({ script: [200, 400] })
    const world = makeWorld()
    const desktop = { type: 'slack', url: `${url}/services/x` }
    const settings = { channels: { desktop }, routes: [{ on: ['*'], to: ['desktop'] }] }
    world.configure({ ...settings, lingerSeconds: 600 })
    const id = world.accept({ message: 'one' }, { env: { DISPLAY: ':77' } })
    const running = world.untilIdle()
    await expect.poll(async () => (await world.statusOf(id))?.outcome).toBe('delivered')
    world.configure('nonsense')
    await expect.poll(() => world.dead()).toHaveLength(1)
    const [name = ''] = world.dead()
    expect(deadOf(world.spool, name)?.delivery.sessionEnv).toMatchObject({ DISPLAY: ':77' })
    world.configure({ ...settings, lingerSeconds: 0 })
    await running
  })
})

describe('a worker in the background', () => {
  it('waits for the next event without using processor time, and ends by itself', async () => {
    const world = makeWorld()
    const config = JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8'))
    world.configure({ ...config, lingerSeconds: 600 })
    world.accept({ message: 'one' })
    const worker = startProgram(builtWorker, world)
    await expect.poll(() => world.lines()).toHaveLength(1)
    await expect.poll(() => readdirSync(world.spool.new)).toEqual([])
    expect(existsSync(join(world.stateDir, 'worker.lock'))).toBe(true)
    // The work at the start may take a while.
    const ticksOfTwoSeconds = async () => {
      const before = ticksOf(worker.pid)
      await new Promise((resolve) => setTimeout(resolve, 2000))
      return ticksOf(worker.pid) - before
    }
    await expect.poll(ticksOfTwoSeconds).toBeLessThanOrEqual(1)
    world.configure({ ...config, lingerSeconds: 1 })
    world.accept({ message: 'two' })
    await expect.poll(() => world.lines()).toHaveLength(2)
    expect(await exited(worker)).toBe(0)
    expect(existsSync(join(world.stateDir, 'worker.lock'))).toBe(false)
    expect(readdirSync(world.spool.cur)).toEqual([])
  })

  it('removes old files every hour, also while messages wait for a destination that fails', async () => {
    const [broken, fixed] = [await startReceiver({ script: [500] }), await startReceiver()]
    const world = makeWorld()
    const configure = (url: string) =>
      world.configure({
        channels: { team: { type: 'slack', url: `${url}/services/x` } },
        routes: [{ on: ['*'], to: ['team'] }],
        retry: { firstDelaySeconds: 600 },
        lingerSeconds: 0,
      })
    configure(broken.url)
    let ahead = 0
    const { now } = Date
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + ahead)
    onTestFinished(() => clock.mockRestore())
    world.accept({ message: 'one' })
    const running = world.untilIdle()
    await expect.poll(() => world.parked()).toHaveLength(1)
    world.accept({ message: 'two' })
    await expect.poll(() => world.list('new')).toHaveLength(0)
    const old = join(world.spool.tmp, 'old')
    writeFileSync(old, '')
    utimesSync(old, 0, 0)
    ahead = 2 * 3600_000
    world.accept({ message: 'three' })
    await expect.poll(() => existsSync(old)).toBe(false)
    configure(fixed.url)
    world.accept({ message: 'four' })
    await running
    expect(world.dead()).toEqual([])
  })

  it('lets no second worker run', async () => {
    const world = makeWorld()
    const config = JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8'))
    world.configure({ ...config, lingerSeconds: 600 })
    const first = startProgram(builtWorker, world)
    await expect.poll(() => existsSync(join(world.stateDir, 'worker.lock'))).toBe(true)
    expect(await exited(startProgram(builtWorker, world))).toBe(0)
    expect(first.exitCode).toBeNull()
    first.kill('SIGKILL')
  })

  it('takes over the events of a worker that died', async () => {
    const world = makeWorld()
    const owner = join(world.spool.cur, '4194305_1_other-boot')
    mkdirSync(owner)
    const id = world.accept({ message: 'left behind' })
    renameSync(join(world.spool.new, id), join(owner, id))
    await world.untilIdle()
    expect(world.lines()).toMatchObject([{ id }])
    expect(existsSync(owner)).toBe(false)
  })

  it('starts again if the session has told Node.js to trust another authority', () => {
    expect(wasInfluenced({ NODE_EXTRA_CA_CERTS: '/srv/ca.pem' })).toBe(true)
    expect(wasInfluenced({ NODE_ENV: 'test', HOME: '/h' })).toBe(false)
  })

  it('removes environment variables that change how it connects or loads code', () => {
    const env: NodeJS.ProcessEnv = {
      NODE_OPTIONS: 'x',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_EXTRA_CA_CERTS: 'x',
      NODE_USE_ENV_PROXY: '1',
      LD_PRELOAD: 'x',
      DYLD_INSERT_LIBRARIES: 'x',
      npm_config_registry: 'x',
      OPENSSL_CONF: 'x',
      SSL_CERT_FILE: 'x',
      DEBUG: '*',
      LANG: 'tr_TR.UTF-8',
      LC_TIME: 'tr_TR.UTF-8',
      TZ: 'Etc/GMT-10',
      PATH: '/bin',
      HOME: '/h',
      MY_TOKEN: 'kept',
      LC_TERMINAL: 'iTerm2',
    }
    scrubEnvironment(env, '/nowhere')
    expect(Object.keys(env)).toEqual(['PATH', 'HOME', 'MY_TOKEN', 'LC_TERMINAL'])
  })
})

describe('secrets', () => {
  it('are in no file that is written, even if a receiver repeats them', async () => {
    const canary = 'canary-7f3a9c1e5b'
    const { url } = await startReceiver({
      script: [
        ({ path }) => ({ status: 500, body: `no ${path} ${canary}\u001b[31m\u2028` }),
        ({ path }) => ({
          status: 404,
          body: `no ${path} ${canary} ${Buffer.from(canary).toString('base64')}`,
        }),
      ],
    })
    const world = makeWorld()
    const reference = (name: string) => `\${${name}}`
    const channels = {
      file: { type: 'file', path: world.outFile },
      team: { type: 'slack', url: `${url}/services/${reference('CANARY')}` },
      mail: {
        type: 'email',
        smtp: `smtp://me:${reference('CANARY')}@127.0.0.1:1`,
        from: 'a@example.com',
        to: ['b@example.com'],
      },
    }
    writeFileSync(join(world.configDir, 'secrets.env'), `CANARY=${canary}\n`, { mode: 0o600 })
    const retry = { firstDelaySeconds: 0.05, maxDelaySeconds: 0.1, maxAttempts: 2 }
    world.configure({
      channels,
      routes: [{ on: ['*'], to: Object.keys(channels) }],
      lingerSeconds: 0,
      retry,
    })
    const marked = {
      message: `the agent says ${canary}`,
      cwd: `/srv/${canary}`,
      session_id: canary,
    }
    world.accept(marked)
    world.accept({ ...marked, hook_event_name: `Odd${canary}`, tool_name: canary })
    const broken = world.acceptRaw(`{"password": ${canary}`)
    await world.untilIdle()
    expect(await world.statusOf(broken)).toMatchObject({ outcome: 'dead' })
    const texts = filesIn(world.stateDir)
      // A dead event is kept unchanged, and the configuration is the user's own text.
      .filter((path) => !/\/(dead|last-good-config\.json)(\/[^.]+)?$/.test(path))
      .concat(world.outFile)
    expect(texts.length).toBeGreaterThan(2)
    for (const path of texts) {
      expect(readFileSync(path, 'utf8'), path).not.toContain(canary)
      expect(readFileSync(path, 'utf8'), path).not.toContain(Buffer.from(canary).toString('base64'))
    }
    const journal = readLines<object>(join(world.stateDir, 'journal.jsonl'))
    expect(JSON.stringify(journal)).toContain('[redacted]')
  })
})

describe('the journal of a worker', () => {
  it('contains no secret, wherever the text comes from', async () => {
    const world = makeWorld()
    world.configure({ channels: { team: { type: 'slack', url: `\${HOOK}` } } })
    const canary = 'https://hooks.example.com/canary-7f3a9c1e5b'
    writeFileSync(join(world.configDir, 'secrets.env'), `HOOK=${canary}\n`, { mode: 0o600 })
    const { journal } = openWorker(world).deps
    const entry = { at: 1, id: 'e1', type: 'suppressed', channel: 'team' } as const
    await journal.append({ ...entry, reason: `cannot reach ${canary}` })
    const reason = 'cannot reach [redacted]'
    expect(readLines(join(world.stateDir, 'journal.jsonl'))).toEqual([{ ...entry, reason }])
  })
})

/** The events that workers have claimed. */
function ownedIn(cur: string): string[] {
  return readdirSync(cur).flatMap((owner) => listIfThere(join(cur, owner)))
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

describe('a sweep', () => {
  it('removes old half-written files, and keeps events', () => {
    const { spool } = makeWorld()
    const folders = ['tmp', 'new', 'dead', 'cards', 'corrupt'] as const
    for (const days of [0, 1, 2, 30]) {
      for (const folder of folders) {
        const path = join(spool[folder], `e${days}`)
        writeFileSync(path, '')
        const at = new Date(Date.now() - days * 24 * 3600_000)
        utimesSync(path, at, at)
      }
    }
    mkdirSync(join(spool.tmp, 'folder/inside'), { recursive: true })
    utimesSync(join(spool.tmp, 'folder'), 1, 1)
    sweep(spool, Date.now())
    const left = folders.map((folder) => [folder, readdirSync(spool[folder]).join(' ')])
    const all = 'e0 e1 e2 e30'
    expect(Object.fromEntries(left)).toEqual({
      ...{ tmp: 'e0 e1', new: all, dead: all, cards: all, corrupt: all },
    })
  })
})

describe('the folders of a spool', () => {
  it('are created private, whatever the umask', () => {
    const world = makeWorld()
    const before = process.umask(0)
    try {
      prepareSpool(join(world.folder, 'other/state'))
    } finally {
      process.umask(before)
    }
    for (const name of ['', 'new', 'cur', 'dead']) {
      expect(statSync(join(world.folder, 'other/state/spool', name)).mode & 0o777).toBe(0o700)
    }
  })

  it('are rejected if one of them is a file', () => {
    const world = makeWorld()
    mkdirSync(join(world.folder, 'bad'))
    writeFileSync(join(world.folder, 'bad/spool'), '')
    expect(() => prepareSpool(join(world.folder, 'bad'))).toThrow(
      /spool: .*\/bad\/spool: not a folder/,
    )
  })
})

describe('an idle worker', () => {
  it('writes a checkpoint of the journal for commands that read it', async () => {
    const world = makeWorld()
    const line = { at: 1, id: 'old', type: 'delivered', channel: 'log', attempt: 1, ms: 1 }
    const text = JSON.stringify({ ...line, answer: 'x'.repeat(1000) })
    writeFileSync(join(world.stateDir, 'journal.jsonl'), `${text}\n`.repeat(1000))
    world.accept({ message: 'hello' })
    await world.untilIdle()
    const checkpoint = readFileSync(join(world.stateDir, 'checkpoint.json'), 'utf8')
    expect(checkpoint).toContain('"id":"old"')
  })
})
