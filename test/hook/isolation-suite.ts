import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { folderFault } from '../../src/fs/ownership.ts'
import { hasProc } from '../../src/spool/lock/owner.ts'
import { startSleeper } from '../spool/_sleeper.ts'
import { quietHoursElsewhere } from '../support/far-zone.ts'
import { isFull } from '../support/runs.ts'
import { shellQuote } from '../support/shell-quote.ts'
import { hasStrace } from '../support/system-calls.ts'
import {
  countStarts,
  type Door,
  files,
  type Home,
  makeHome,
  quiet,
  repin,
  runDoor,
  shadow,
  silent,
  waitFor,
  workerPid,
} from './_door.ts'

const STRANGER = 54321
const isRoot = process.getuid?.() === 0
const canMount =
  isRoot && spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'x', '/mnt']).status === 0
const hasBash = existsSync('/bin/bash')
const EVENT = '{"hook_event_name":"Stop"}'

/** Tests that no session can influence the front door and its worker for other sessions. */
export function isolationSuite(door: Door) {
  describe(`${door.name}: hooks`, () => {
    it('deliver to the channels of the user despite a hostile session environment', async () => {
      const home = makeHome({ holdsWorkerBack: false, config: { lingerSeconds: 600 } })
      await door.argv(home)
      const session = { ...home.env, ...evilEnvironment(home) }
      // Node.js itself reads this variable and prints a warning.
      if (door.isNode) delete session.NODE_EXTRA_CA_CERTS
      expect(quiet(await runDoor(door, home, { env: session, input: EVENT }))).toEqual(silent)
      await waitFor(() => existsSync(home.audit))
      expect(existsSync(join(home.folder, 'evil/out'))).toBe(false)
      const environment = environmentOf(workerPid(home.state) ?? 0)
      expect(environment).toMatchObject({
        HOME: home.folder,
        HOOKBELL_STATE_DIR: home.state,
        HOOKBELL_CONFIG_DIR: home.config,
        PATH: expect.not.stringContaining('evil'),
      })
      const names = Object.keys(environment).filter((name) => !/^(PWD|_)$/.test(name))
      expect(names.sort()).toEqual([
        'HOME',
        'HOOKBELL_CONFIG_DIR',
        'HOOKBELL_FALLBACK_DIR',
        'HOOKBELL_STATE_DIR',
        'PATH',
      ])
    })

    it('are told by the clock of the machine, whatever the time zone of the session is', async () => {
      const { noise, TZ } = quietHoursElsewhere()
      const home = makeHome({ holdsWorkerBack: false, config: { noise } })
      const config = JSON.parse(readFileSync(join(home.config, 'config.json'), 'utf8'))
      config.channels.audit.noise = true
      writeFileSync(join(home.config, 'config.json'), JSON.stringify(config))
      await door.argv(home)
      const env = { ...home.env, TZ }
      expect(quiet(await runDoor(door, home, { env, input: EVENT }))).toEqual(silent)
      await waitFor(() => delivered(home) === 1)
    })

    it.each([
      ['the worker can be written by its group', 'runtime/dist/worker.cjs', 0o664],
      ['the worker can be written by everybody', 'runtime/dist/worker.cjs', 0o666],
      ['the folder of the worker can be written by others', 'runtime/dist', 0o777],
      ['the state folder can be written by others', '.', 0o777],
    ])('accept the event but start no worker when %s', async (_, path, mode) => {
      const home = makeHome({ holdsWorkerBack: false })
      const starts = await countStarts(door, home)
      chmodSync(join(home.state, path), mode)
      await expectRefused(home, starts)
    })

    it.skipIf(!isRoot).each(['runtime/dist/worker.cjs', 'runtime/dist', 'runtime'])(
      'accept the event but start no worker when %s belongs to another user',
      async (path) => {
        const home = makeHome({ holdsWorkerBack: false })
        const starts = await countStarts(door, home)
        chownSync(join(home.state, path), STRANGER, STRANGER)
        await expectRefused(home, starts)
      },
    )

    it('start no Node.js program that everybody can write', async () => {
      const home = makeHome({ holdsWorkerBack: false })
      const starts = await countStarts(door, home)
      chmodSync(join(home.folder, 'node'), 0o777)
      expect(quiet(await runDoor(door, home, { input: EVENT }))).toEqual(silent)
      expect(starts()).toBe(0)
    })

    it.each(['can be written by others', ...(isRoot ? ['belongs to another user'] : [])])(
      'deliver by the last valid settings, and report it, when the configuration folder %s',
      async (what) => {
        const home = makeHome({ holdsWorkerBack: false })
        await door.argv(home)
        expect(quiet(await runDoor(door, home, { input: EVENT }))).toEqual(silent)
        await waitFor(() => delivered(home) === 1 && workerPid(home.state) === undefined)
        const planted = join(home.folder, 'planted.jsonl')
        const config = readFileSync(join(home.config, 'config.json'), 'utf8')
        writeFileSync(join(home.config, 'config.json'), config.replace(home.audit, planted))
        if (what === 'can be written by others') chmodSync(home.config, 0o777)
        else chownSync(home.config, STRANGER, STRANGER)
        expect(quiet(await runDoor(door, home, { input: EVENT }))).toEqual(silent)
        await waitFor(() => delivered(home) === 2)
        const journal = join(home.state, 'journal.jsonl')
        const report = /the configuration cannot be used/
        await waitFor(() => report.test(readFileSync(journal, 'utf8')))
        expect(existsSync(planted)).toBe(false)
      },
    )

    // With this LANG, a front door in Node.js would crash itself.
    it.skipIf(door.isNode)(
      'deliver although Node.js crashes in the language of the session',
      async () => {
        const home = makeHome({ holdsWorkerBack: false })
        await door.argv(home)
        const session = { ...home.env, LANG: 'x'.repeat(40) }
        expect(quiet(await runDoor(door, home, { env: session, input: EVENT }))).toEqual(silent)
        await waitFor(() => existsSync(home.audit))
      },
    )

    it
      .skipIf(door.isNode || !hasBash)
      .each([
        'BASHOPTS=failglob',
        ...['errexit', 'keyword', 'noglob', 'nounset'].map((name) => `SHELLOPTS=${name}`),
      ])('deliver although sh is bash with %s', async (option) => {
      const home = makeHome({ holdsWorkerBack: false })
      const sh = join(home.folder, 'sh')
      symlinkSync('/bin/bash', sh)
      // `env`, because some shells drop such variables.
      const script = `exec env ${option} ${shellQuote(sh)} "$@"`
      expect(quiet(await runDoor(door, home, { script, input: EVENT }))).toEqual(silent)
      await waitFor(() => existsSync(home.audit))
    })

    // The worker serves all sessions, so it must not inherit the limit: it could not write to larger files.
    it.skipIf(door.isNode)('deliver although a session may write only small files', async () => {
      const home = makeHome({ holdsWorkerBack: false })
      writeFileSync(home.audit, 'x'.repeat(400_000))
      const run = (limit: string) =>
        runDoor(door, home, { script: `ulimit ${limit} 500; exec "$@"`, input: EVENT })
      expect(quiet(await run('-f'))).toEqual(silent)
      expect(quiet(await run('-S -f'))).toEqual(silent)
      await waitFor(() => readFileSync(home.audit, 'utf8').split('"event":"Stop"').length === 3)
    })

    // A person with a group of their own and umask 002 has folders of this mode.
    it('deliver when the private group of the user can write the configuration folder', async (context) => {
      const home = makeHome({ holdsWorkerBack: false })
      chmodSync(home.config, 0o775)
      if (folderFault(home.config)) return context.skip('this group may have other members')
      await door.argv(home)
      expect(quiet(await runDoor(door, home, { input: EVENT }))).toEqual(silent)
      await waitFor(() => existsSync(home.audit))
    })

    it.skipIf(!canMount)(
      'give their events ids with different beginnings on a system without /proc',
      async () => {
        const home = makeHome()
        const script = `exec unshare -m sh -c 'mount -t tmpfs x /proc; "$@" <event; "$@" <event' agent "$@"`
        writeFileSync(join(home.folder, 'event'), EVENT)
        await runDoor(door, home, { script })
        const names = files(join(home.state, 'spool/new'))
        expect(new Set(names.map((name) => name.slice(0, 8))).size).toBe(2)
      },
    )

    async function expectRefused(home: Home, starts: () => number) {
      expect(quiet(await runDoor(door, home, { input: EVENT }))).toEqual(silent)
      // A start would be logged within this time, unless the machine hangs.
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect(starts()).toBe(0)
      expect(files(join(home.state, 'spool/new'))).toHaveLength(1)
    }
  })

  // A front door in Node.js takes 65 MB.
  const HERD = isFull ? 200 : door.isNode ? 25 : 50
  describe(`${door.name}: the number of started workers`, () => {
    it(`is at most two for ${HERD} simultaneous hooks`, async () => {
      const home = makeHome({ holdsWorkerBack: false, config: { lingerSeconds: 600 } })
      const starts = await countStarts(door, home)
      const startedAt = performance.now()
      const herd = Array.from({ length: HERD }, () => runDoor(door, home, { input: EVENT }))
      for (const run of await Promise.all(herd)) expect(quiet(run)).toEqual(silent)
      // Deliveries cannot be counted: on a busy machine, a hook may give up before it has read its input.
      await waitFor(() => files(join(home.state, 'spool/new')).length === 0)
      expect(starts()).toBeGreaterThan(0)
      // A start that takes longer than 5 s counts as failed, and is repeated.
      const tooLong = Math.floor((performance.now() - startedAt) / 5000)
      expect(starts()).toBeLessThanOrEqual(2 + tooLong)
      expect(files(home.state).filter((name) => name.startsWith('worker.starting'))).toEqual([])
    })

    it.skipIf(!canMount)('is one for consecutive hooks on a system without /proc', async () => {
      const home = makeHome({ holdsWorkerBack: false, config: { lingerSeconds: 600 } })
      const starts = await countStarts(door, home)
      const wait = 'until [ -e state/worker.lock ]; do sleep 0.1; done'
      const script = `exec unshare -m sh -c 'mount -t tmpfs x /proc; "$@" <event; ${wait}; for n in 1 2 3; do "$@" <event; done' agent "$@"`
      writeFileSync(join(home.folder, 'event'), EVENT)
      expect(quiet(await runDoor(door, home, { script }))).toEqual(silent)
      await waitFor(() => delivered(home) === 4)
      expect(starts()).toBe(1)
    })
  })

  describe(`${door.name}: a start marker`, () => {
    it.each([
      ['a dead process', () => `4194303 ${uptime()}\n`],
      ['a start that takes too long', () => `${process.pid} ${uptime() - 6}\n`],
      ['a time in the future', () => `${process.pid} ${uptime() + 60}\n`],
      ['nothing', () => ''],
      ['nonsense', () => '$(touch pwned) 08\n'],
    ])('with %s does not prevent a delivery', async (_, text) => {
      const home = makeHome({ holdsWorkerBack: false })
      await door.argv(home)
      writeFileSync(join(home.state, 'worker.starting'), text())
      expect(quiet(await runDoor(door, home, { input: EVENT }))).toEqual(silent)
      await waitFor(() => delivered(home) === 1)
    })

    it.skipIf(door.isNode || !door.isInstalled || !hasStrace)(
      'names the worker when that begins, even if it is written late on a busy machine',
      async () => {
        const home = makeHome({ holdsWorkerBack: false })
        await door.argv(home)
        const [node, seen] = [join(home.folder, 'node'), join(home.folder, 'seen')]
        const marker = join(home.state, 'worker.starting')
        const look = `read -r pid since <${shellQuote(marker)}; [ "$pid" = $$ ] && echo own >${shellQuote(seen)}`
        writeFileSync(node, `#!/bin/sh\n${look}\nexec ${shellQuote(process.execPath)} "$@"\n`, {
          mode: 0o755,
        })
        repin(home, 'node', node)
        const delay = `-P ${shellQuote(marker)} -e trace=write -e inject=write:delay_enter=300000`
        const script = `exec strace -f -o /dev/null ${delay} "$@"`
        await runDoor(door, home, { script, input: EVENT })
        await waitFor(() => delivered(home) === 1)
        expect(existsSync(seen)).toBe(true)
      },
    )

    it.skipIf(door.isNode || !door.isInstalled)(
      'names a living process when the hook ends, even if each process starts late',
      async () => {
        const home = makeHome({ holdsWorkerBack: false })
        await door.argv(home)
        const late = (program: string) => `sleep 0.5\nexec ${program} "$@"`
        const node = late(shellQuote(process.execPath))
        const changes = [shadow(home, { sh: late('/bin/sh'), node })]
        repin(home, 'node', join(home.folder, 'programs/node'))
        const marker = join(home.state, 'worker.starting')
        const script = `"$@"; read -r pid rest <${shellQuote(marker)}; kill -0 "$pid" && echo alive`
        const { output } = await runDoor(door, home, { script, input: EVENT, changes })
        expect(output).toBe('alive\n')
        await waitFor(() => delivered(home) === 1)
      },
    )

    it('of another process that is starting a worker prevents a second start', async () => {
      const home = makeHome({ holdsWorkerBack: false })
      const starts = await countStarts(door, home)
      writeFileSync(join(home.state, 'worker.starting'), `${process.pid} ${uptime()}\n`)
      expect(quiet(await runDoor(door, home, { input: EVENT }))).toEqual(silent)
      expect(starts()).toBe(0)
      expect(files(join(home.state, 'spool/new'))).toHaveLength(1)
    })
  })

  describe(`${door.name}: a worker lock`, () => {
    it.runIf(hasProc())('of a stopped process does not prevent a delivery', async () => {
      const home = makeHome({ holdsWorkerBack: false })
      await door.argv(home)
      const { owner, stop } = await startSleeper()
      await stop()
      writeFileSync(
        join(home.state, 'worker.lock'),
        `${owner.pid} ${owner.started} ${owner.boot}\n`,
      )
      expect(quiet(await runDoor(door, home, { input: EVENT }))).toEqual(silent)
      await waitFor(() => delivered(home) === 1)
    })

    it('of another machine does not prevent a delivery', async () => {
      const home = makeHome({ holdsWorkerBack: false })
      const lock = `${process.pid} 7 ffffffff-0000-4000-8000-000000000000 elsewhere.1\n`
      writeFileSync(join(home.state, 'worker.lock'), lock)
      expect(quiet(await runDoor(door, home, { input: EVENT }))).toEqual(silent)
      await waitFor(() => delivered(home) === 1)
      expect(readFileSync(join(home.state, 'worker.lock'), 'utf8')).toBe(lock)
      await waitFor(() => !files(home.state).some((name) => /^worker\..+\.lock$/.test(name)))
    })
  })
}

/** Variables that a hostile project can set for an agent that is started in it. */
function evilEnvironment({ folder }: Home): Record<string, string> {
  const evil = join(folder, 'evil')
  mkdirSync(join(evil, 'hookbell'), { recursive: true })
  const config = {
    channels: { out: { type: 'file', path: join(evil, 'out') } },
    routes: [{ on: ['*'], to: ['out'] }],
  }
  for (const path of ['config.json', 'hookbell/config.json']) {
    writeFileSync(join(evil, path), JSON.stringify(config))
  }
  return {
    HOME: evil,
    HOOKBELL_CONFIG_DIR: evil,
    HOOKBELL_STATE_DIR: evil,
    HOOKBELL_FALLBACK_DIR: evil,
    XDG_CONFIG_HOME: evil,
    XDG_STATE_HOME: evil,
    XDG_RUNTIME_DIR: evil,
    SLACK_WEBHOOK_URL: 'https://evil.example/',
    OPENSSL_CONF: join(evil, 'openssl.cnf'),
    HTTPS_PROXY: 'http://127.0.0.1:1',
    NODE_EXTRA_CA_CERTS: join(evil, 'ca.pem'),
    LD_LIBRARY_PATH: evil,
    PATH: `${evil}:${process.env.PATH}`,
    TZ: 'Etc/GMT-10',
    LANG: 'tr_TR.UTF-8',
    LC_ALL: 'tr_TR.UTF-8',
  }
}

function environmentOf(pid: number): Record<string, string> {
  const pairs = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
  return Object.fromEntries(pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2)))
}

function delivered({ audit }: Home): number {
  return existsSync(audit) ? readFileSync(audit, 'utf8').split('\n').length - 1 : 0
}

function uptime(): number {
  return Math.floor(Number.parseFloat(readFileSync('/proc/uptime', 'utf8')))
}
