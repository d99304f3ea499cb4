import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { makeHome, root } from '../support/home.ts'
import { canHang, makeHungMount } from '../support/hung-mount.ts'
import { builtWorker } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { makeScript } from '../support/script.ts'
import { shellQuote } from '../support/shell-quote.ts'
import { countOutcomes, makeWorld, quickRetry, startProgram } from './_world.ts'

const isRoot = process.getuid?.() === 0
const folders = ['tmp', 'new', 'cur', 'cards', 'dead', 'corrupt'] as const
const slack = (url: string) => ({ type: 'slack', url: `${url}/services/x` })

describe('a folder of the spool', () => {
  it.each(folders)('%s is created again, and a file in its place is set aside', async (folder) => {
    const world = makeWorld()
    world.accept({ message: 'first' })
    await world.once()
    rmSync(world.spool[folder], { recursive: true })
    writeFileSync(world.spool[folder], '')
    await world.once()
    world.accept({ message: 'second' })
    await world.once()
    expect(world.lines()).toHaveLength(2)
    expect(readdirSync(world.spool.corrupt)).toEqual([expect.stringMatching(`^\\d+-${folder}$`)])
  })

  it('that was replaced by a file is counted as damaged by `status`', async () => {
    const home = await makeHome({ lingerSeconds: 0 })
    mkdirSync(join(home.state, 'spool'), { recursive: true, mode: 0o700 })
    writeFileSync(join(home.state, 'spool/dead'), '')
    expect((await home.run('status')).stdout).not.toContain('damaged')
    expect((await home.run('worker')).exitCode).toBe(0)
    expect((await home.run('status')).stdout).toContain('1 damaged or foreign')
  })

  it.skipIf(!isRoot)(
    'that cannot be read is reported by `status`, which still shows the other counts',
    async () => {
      const home = await makeHome({ lingerSeconds: 0 })
      home.accept('no JSON')
      await home.run('worker')
      chmodSync(join(home.state, 'spool/cur'), 0)
      chmodSync(join(home.state, 'spool/corrupt'), 0)
      await execa('chown', ['-R', '54321:54321', home.home])
      const user = ['--reuid', '54321', '--regid', '54321', '--clear-groups', process.execPath]
      const words = [...user, join(root, 'bin/hookbell'), 'status']
      const { stdout } = await execa('setpriv', words, { env: home.env, reject: false })
      expect(stdout).toMatch(/^events +1: 1 dead;/m)
      for (const name of ['cur', 'corrupt']) {
        expect(stdout).toContain(`${home.state}/spool/${name} cannot be read`)
      }
    },
  )

  it.skipIf(!isRoot)('that belongs to root is reported by `status` and `doctor`', async () => {
    const home = await makeHome({ lingerSeconds: 0 })
    home.accept('no JSON')
    await home.run('worker')
    // As after `su`, which keeps the runtime folder of the other user.
    mkdirSync(home.env.XDG_RUNTIME_DIR, { mode: 0o700 })
    await execa('chown', ['-R', '54321:54321', home.home])
    await execa('chown', ['-R', '0:0', join(home.state, 'spool'), home.env.XDG_RUNTIME_DIR])
    const user = ['--reuid', '54321', '--regid', '54321', '--clear-groups', process.execPath]
    const run = (...words: string[]) =>
      execa('setpriv', [...user, join(root, 'bin/hookbell'), ...words], {
        ...{ env: home.env, extendEnv: false, reject: false },
      })
    const path = join(home.state, 'spool')
    const what = `${path}: not a folder of this user; events go elsewhere`
    const status = await run('status')
    expect(status.stdout).toContain(
      `x ${what}. Move it away: mv ${shellQuote(path)} ${shellQuote(`${path}.old`)}`,
    )
    const { checks } = JSON.parse((await run('doctor', '--offline', '--json')).stdout)
    expect(checks).toContainEqual(expect.objectContaining({ id: 'permissions', seen: what }))
    expect((await run('log')).stderr).toMatch(/or see: .*hookbell doctor$/)
  })

  it.each(['cards', 'dead', 'cur'] as const)(
    '%s blocks only what needs it while a file is in its place',
    async (folder) => {
      const { url } = await startReceiver({ script: [404] })
      const world = makeWorld({ lingerSeconds: 600, channels: { team: slack(url) } })
      const first = world.accept({ message: 'first' })
      const running = world.untilIdle()
      await expect.poll(() => world.lines().length).toBe(1)
      await expect.poll(async () => (await world.statusOf(first))?.outcome).toBe('dead')
      rmSync(world.spool[folder], { recursive: true })
      writeFileSync(world.spool[folder], '')
      if (folder !== 'cur') {
        world.accept({ message: 'second' })
        await expect.poll(() => world.lines().length).toBe(2)
      }
      world.accept({ message: 'third' })
      rmSync(world.spool[folder])
      mkdirSync(world.spool[folder], { mode: 0o700 })
      await expect.poll(() => world.lines().length).toBe(folder === 'cur' ? 2 : 3)
      world.configure({
        channels: { file: { type: 'file', path: world.outFile }, team: slack(url) },
        lingerSeconds: 0,
      })
      await running
      // Our own event, which reports the dead channel, is left out.
      const told = (await world.statuses()).filter(({ client }) => client !== 'hookbell')
      expect(countOutcomes(told)).toEqual({ dead: folder === 'cur' ? 2 : 3 })
    },
  )

  it.each([
    ['nobody', 0],
    ['everybody', 0o777],
  ])('that is open to %s becomes usable, and private', async (_, mode) => {
    const world = makeWorld()
    const id = world.accept({})
    const paths = folders.map((folder) => world.spool[folder])
    for (const path of paths) chmodSync(path, mode)
    await world.once()
    expect(world.lines()).toMatchObject([{ id }])
    expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual(paths.map(() => 0o700))
  })

  it('that is a link is not followed', async () => {
    const world = makeWorld()
    const elsewhere = join(world.folder, 'elsewhere')
    mkdirSync(elsewhere)
    rmSync(world.spool.dead, { recursive: true })
    symlinkSync(elsewhere, world.spool.dead)
    world.acceptRaw('no JSON')
    await world.once()
    expect(readdirSync(elsewhere)).toEqual([])
    expect(world.dead()).toHaveLength(1)
  })
})

describe('a failed delivery that cannot be stored', () => {
  it('is tried again from memory, with its attempts counted', async () => {
    const world = makeWorld()
    const { tmp } = world.spool
    const breakSpool = () => {
      renameSync(tmp, `${tmp}.gone`)
      return { status: 500 }
    }
    const { url, received } = await startReceiver({ script: [breakSpool, 500, 200] })
    const team = { type: 'webhook', url, allowPrivateNetwork: true }
    world.configure({
      channels: { team },
      routes: [{ on: ['*'], to: ['team'] }],
      retry: quickRetry,
    })
    const id = world.accept({ message: 'hello' })
    await world.once()
    expect(received).toHaveLength(3)
    expect(await world.statusOf(id)).toMatchObject({
      outcome: 'delivered',
      channels: { team: { state: 'delivered', attempts: 3 } },
    })
  })
})

describe('a held delivery that cannot be stored', () => {
  it('is sent too early instead of not at all', async () => {
    const world = makeWorld()
    const { tmp, new: arrivals } = world.spool
    const breakSpool = () => {
      renameSync(tmp, `${tmp}.gone`)
      return { status: 200 }
    }
    const { url, received } = await startReceiver({ script: [breakSpool, 200] })
    const team = { type: 'webhook', url, allowPrivateNetwork: true }
    const configure = (lingerSeconds: number) =>
      world.configure({
        channels: { file: { type: 'file', path: world.outFile }, team },
        routes: [
          { on: ['done'], to: ['team'] },
          { on: ['permission'], steps: [{ to: ['file'] }, { after: '1h', to: ['team'] }] },
        ],
        lingerSeconds,
      })
    configure(600)
    world.accept({ hook_event_name: 'Stop' })
    const running = world.untilIdle()
    await expect.poll(() => received.length).toBe(1)
    const ask = '{"hook_event_name":"PermissionRequest","tool_name":"Bash"}'
    writeFileSync(join(arrivals, 'question'), `hookbell-event 1\nclient: claude\n\n${ask}`)
    await expect.poll(() => received.length).toBe(2)
    configure(0)
    await running
  })
})

describe('an unhandled event that another worker has taken', () => {
  it('does not keep the worker running', async () => {
    const world = makeWorld({ lingerSeconds: 1 })
    const running = world.untilIdle()
    rmSync(world.spool.dead, { recursive: true })
    writeFileSync(world.spool.dead, '')
    const id = world.acceptRaw('no JSON')
    await expect.poll(async () => (await world.statusOf(id))?.outcome).toBe('dead')
    await expect.poll(() => world.list('new')).toEqual([`${id}~0`])
    rmSync(join(world.spool.new, `${id}~0`))
    await running
  })
})

describe('a template of the user', () => {
  it.each([
    ['is broken', '{% if %}'],
    [
      'never ends',
      '{% for a in (1..9999999) %}{% for b in (1..9999999) %}x{% endfor %}{% endfor %}',
    ],
    [
      'produces too much text',
      '{% assign x = "aaaaaaaaaaaaaaaa" %}{% for i in (1..64) %}{% assign x = x | append: x %}{% endfor %}{{ x }}',
    ],
  ])('that %s is replaced by the built-in one and delays no other event', async (_, template) => {
    const world = makeWorld()
    const folder = join(world.configDir, 'templates/plain')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, 'done.liquid'), template)
    const broken = world.accept({ hook_event_name: 'Stop', cwd: '/srv/api' })
    world.accept({ message: 'other' })
    await world.once()
    expect(world.lines()).toHaveLength(2)
    const status = await world.statusOf(broken)
    expect(status).toMatchObject({ outcome: 'delivered', title: 'Claude · api: done' })
    expect(status?.problems.join()).toContain('done.liquid')
  })
})

describe('a text that is expensive for regular expressions', () => {
  it.each([
    ['secrets', 'token=1'],
    ['keys', '-----BEGIN RSA PRIVATE KEY-----'],
    ['URLs', 'https://a:b@'],
    ['spaces', ' \n'],
    ['brackets', '[[[{"'],
  ])('(%s) does not keep another event from its delivery', async (_, part) => {
    const world = makeWorld()
    for (let index = 0; index < 10; index += 1) {
      world.accept({
        hook_event_name: 'Stop',
        last_assistant_message: part.repeat(65_536 / part.length),
      })
    }
    const id = world.accept({ message: 'other' })
    await world.once()
    expect(world.lines().map((line) => line.id)).toContain(id)
  })
})

it.runIf(canHang).each([
  ['that the front door starts', builtWorker, []],
  ['that a person starts', join(root, 'bin/hookbell'), ['worker']],
])(
  'disks that do not answer do not keep a worker %s from writing the journal',
  async (_, program, words) => {
    const mount = await makeHungMount()
    const { url } = await startReceiver()
    const world = makeWorld()
    const names = ['a', 'b', 'c', 'd']
    const hung = names.map((name) => [name, { type: 'file', path: join(mount, name) }] as const)
    const channels = { ...Object.fromEntries(hung), team: slack(url) }
    world.configure({ channels, routes: [{ on: ['*'], to: [...names, 'team'] }] })
    const id = world.accept({ message: 'first' })
    startProgram(program, world, words)
    const state = async () => (await world.statusOf(id))?.channels.team?.state
    await expect.poll(state).toBe('delivered')
  },
)

it.runIf(canHang)(
  'a script whose interpreter is on a disk that does not answer does not keep others waiting',
  async () => {
    const ring = await makeScript(join(await makeHungMount(), 'python'))
    const { url, received } = await startReceiver()
    const world = makeWorld()
    const channels = { ring: { type: 'command', argv: [ring] }, team: slack(url) }
    world.configure({ channels, routes: [{ on: ['*'], to: ['ring', 'team'] }] })
    world.accept({ message: 'first' })
    startProgram(builtWorker, world)
    await expect.poll(() => received.length).toBe(1)
    world.accept({ message: 'second' })
    await expect.poll(() => received.length).toBe(2)
  },
)
