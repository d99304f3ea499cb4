import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { spoolIn } from '../../src/spool/layout.ts'
import { salvage } from '../../src/spool/salvage.ts'
import { shellQuote } from '../support/shell-quote.ts'
import {
  type Door,
  type DoorOptions,
  fallbackOf,
  files,
  type Home,
  makeHome,
  pretendWarmWorker,
  quiet,
  runDoor,
  shadow,
  silent,
  spooled,
  waitFor,
} from './_door.ts'

const STRANGER = 54321
const isRoot = process.getuid?.() === 0
const canMount =
  isRoot && spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'x', '/mnt']).status === 0
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0
const hasBusybox = spawnSync('busybox', ['true']).status === 0
/** The beginning of a command that runs as an ordinary user. */
const asStranger = `exec setpriv --reuid ${STRANGER} --regid ${STRANGER} --clear-groups`
const canRun = (script: string) =>
  isRoot && spawnSync('sh', ['-c', `${asStranger} ${script}`, 'agent', 'true']).status === 0
/** Larger than the free space on the small disks below, smaller than the capacity of a pipe. */
const EVENT = `{"hook_event_name":"Stop","text":"${'x'.repeat(40_000)}"}`

/** Tests what every front door does if it cannot write to the spool: use the next folder, else notify the user. */
export function faultsSuite(door: Door) {
  let home: Home
  let runtime: string
  beforeEach(() => {
    home = makeHome()
    runtime = join(home.folder, 'runtime')
    home.env.XDG_RUNTIME_DIR = runtime
    prepareFallback()
    home.env.DBUS_SESSION_BUS_ADDRESS = 'unix:abstract=of-the-repository'
    const script = `#!/bin/sh\ncd ${shellQuote(home.folder)}; printf "%s\\n" "$DBUS_SESSION_BUS_ADDRESS" "$@" >part; mv part notice\n`
    writeFileSync(join(home.folder, 'notify-send'), script, { mode: 0o755 })
  })
  const isNotified = () => existsSync(join(home.folder, 'notice'))

  /** Makes the fallback folder, where no worker is to start either. */
  function prepareFallback(state = home.state) {
    const fallback = fallbackOf({ ...home, state })
    mkdirSync(fallback, { recursive: true, mode: 0o700 })
    pretendWarmWorker(fallback)
    return fallback
  }

  async function expectFallback(
    script: string,
    options: DoorOptions = { input: EVENT },
    fallback = fallbackOf(home),
  ) {
    expect(quiet(await runDoor(door, home, { script, ...options }))).toEqual(silent)
    expect(spooled(fallback).map(String)).toEqual([EVENT])
    expect(spooled(home.state)).toEqual([])
  }

  const expectNothingLeft = () => expect(files(join(home.state, 'spool/tmp'))).toEqual([])

  async function runWithNotifySend(script: string) {
    // The search path starts with the system folders, so the program is mounted over the one there.
    const shadow = `mount --bind "${home.folder}/notify-send" "$(command -v notify-send)"`
    expect(
      quiet(await runDoor(door, home, { script: inMounts(`${shadow}; ${script}`), input: EVENT })),
    ).toEqual(silent)
  }

  describe(`${door.name}: faults`, () => {
    it.skipIf(!canMount).each([
      ['has 16 KiB', 'size=16k', ''],
      [
        'is full to the last byte',
        'size=128k',
        'head -c 1000000 /dev/zero 2>/dev/null >state/spool/fill;',
      ],
      ['has no inodes left', 'nr_inodes=3', ''],
    ])('uses the runtime folder when the disk %s', async (_, options, fill) => {
      const small = `mkdir -p state/spool; mount -t tmpfs -o mode=700,${options} x state/spool; mkdir state/spool/tmp state/spool/new; ${fill}`
      await expectFallback(inMounts(`${small} "$@"`))
      expectNothingLeft()
    })

    it.skipIf(!canMount)('uses the runtime folder when the disk is mounted read-only', async () => {
      await expectFallback(
        inMounts('mount --bind state state; mount -o remount,ro,bind state; "$@"'),
      )
      expectNothingLeft()
    })

    it.skipIf(!canMount).each<[string, DoorOptions]>([
      ['', { input: EVENT }],
      [', for input on a pipe that stays open', { feed: ({ stdin }) => stdin?.write(EVENT) }],
    ])('uses the runtime folder when only new/ cannot be written%s', async (_, options) => {
      mkdirSync(join(home.state, 'spool/tmp'), { recursive: true, mode: 0o700 })
      mkdirSync(join(home.state, 'spool/new'), { mode: 0o700 })
      const script =
        'mount --bind state/spool/new state/spool/new; mount -o remount,ro,bind state/spool/new; "$@"'
      await expectFallback(inMounts(script), options)
      // A copy would be salvaged later, as a second event.
      expectNothingLeft()
    })

    it.skipIf(!isRoot).each(['', '/spool', '/spool/tmp', '/spool/new'])(
      'does not write to state%s of another user',
      async (path) => {
        await door.argv(home)
        mkdirSync(join(home.state, 'spool/tmp'), { recursive: true, mode: 0o700 })
        mkdirSync(join(home.state, 'spool/new'), { mode: 0o700 })
        chownSync(join(home.state, path), STRANGER, STRANGER)
        await expectFallback('"$@"')
        expectNothingLeft()
      },
    )

    it.skipIf(!isRoot)('makes no spool in the state folder of another user', async () => {
      await door.argv(home)
      mkdirSync(home.state, { recursive: true, mode: 0o700 })
      rmSync(join(home.state, 'spool'), { recursive: true, force: true })
      chownSync(home.state, STRANGER, STRANGER)
      await expectFallback('"$@"')
      expect(readdirSync(home.state)).not.toContain('spool')
    })

    // As under `sudo -E`. The owner of these folders could not use what root makes there.
    it.skipIf(!isRoot)('makes nothing in the runtime folder of another user', async () => {
      await door.argv(home)
      chownSync(home.state, STRANGER, STRANGER)
      rmSync(runtime, { recursive: true, force: true })
      mkdirSync(runtime, { mode: 0o700 })
      chownSync(runtime, STRANGER, STRANGER)
      expect(quiet(await runDoor(door, home, { input: EVENT }))).toEqual(silent)
      expect(readdirSync(runtime)).toEqual([])
    })

    it.skipIf(!isRoot || door.isInstalled)(
      'makes no state folder in that of another user',
      async () => {
        const theirs = join(home.folder, 'theirs')
        mkdirSync(theirs, { mode: 0o700 })
        chownSync(theirs, STRANGER, STRANGER)
        const state = join(theirs, '.local/state/hookbell')
        home.env.HOOKBELL_STATE_DIR = state
        await expectFallback('"$@"', { input: EVENT }, prepareFallback(state))
        expect(readdirSync(theirs)).toEqual([])
      },
    )

    it.skipIf(door.isInstalled).each(
      Object.entries({
        'is root only inside the sandbox': `unshare -r "$@"`,
        'owns /': `bwrap $(for f in /*; do echo --dev-bind $f $f; done) "$@"`,
      }).filter(([, script]) => canRun(script)),
    )('makes the state folder of a sandboxed user who %s', async (_, script) => {
      const shared = join(home.folder, 'shared')
      mkdirSync(shared)
      chmodSync(shared, 0o1777)
      const state = join(shared, '.local/state/hookbell')
      home.env.HOOKBELL_STATE_DIR = state
      const options = { script: `${asStranger} ${script}`, input: EVENT }
      expect(quiet(await runDoor(door, home, options))).toEqual(silent)
      expect(spooled(state).map(String)).toEqual([EVENT])
    })

    it.each(['spool', 'spool/tmp', 'spool/new'])(
      'does not follow a symbolic link in place of %s',
      async (path) => {
        const elsewhere = join(home.folder, 'elsewhere')
        mkdirSync(elsewhere, { mode: 0o700 })
        for (const name of path === 'spool' ? ['tmp', 'new'] : [])
          mkdirSync(join(elsewhere, name), { mode: 0o700 })
        mkdirSync(join(home.state, path, '..'), { recursive: true, mode: 0o700 })
        symlinkSync(elsewhere, join(home.state, path))
        const before = readdirSync(elsewhere, { recursive: true })
        await expectFallback('"$@"')
        expectNothingLeft()
        expect(readdirSync(elsewhere, { recursive: true })).toEqual(before)
      },
    )

    // An installed copy is inside its state folder, which therefore cannot be a file.
    it.skipIf(door.isInstalled)(
      'uses the runtime folder when the state folder is a file',
      async () => {
        const state = join(home.folder, 'file')
        writeFileSync(state, '')
        home.env.HOOKBELL_STATE_DIR = state
        await expectFallback('"$@"', { input: EVENT }, prepareFallback(state))
        expectNothingLeft()
      },
    )

    it.skipIf(!canMount)(
      'notifies the user, on their own desktop, with a constant text if no folder takes the event',
      async () => {
        await runWithNotifySend(
          'for f in state runtime; do mount --bind $f $f; mount -o remount,ro,bind $f; done; mount -t tmpfs -o ro x /run; "$@"',
        )
        await waitFor(isNotified)
        expect(readFileSync(join(home.folder, 'notice'), 'utf8')).toMatchInlineSnapshot(`
        "unix:path=/run/user/0/bus
        -u
        critical
        --
        hookbell: an agent event could not be stored
        The disk may be full or read-only. Run: hookbell status
        "
      `)
      },
    )

    it.skipIf(!canMount)(
      'does not follow a link that others put into a shared runtime folder',
      async () => {
        const elsewhere = join(home.folder, 'elsewhere')
        mkdirSync(elsewhere, { mode: 0o700 })
        rmSync(fallbackOf(home), { recursive: true })
        symlinkSync(elsewhere, fallbackOf(home))
        await runWithNotifySend('mount --bind state state; mount -o remount,ro,bind state; "$@"')
        await waitFor(isNotified)
        expect(readdirSync(elsewhere)).toEqual([])
      },
    )

    it.skipIf(!canMount)('notifies the user if files cannot grow beyond 512 bytes', async () => {
      const limit = 'mount -t tmpfs -o ro x /run; ulimit -f 1;'
      await runWithNotifySend(`${limit} "$@"`)
      await waitFor(isNotified)
      expect(spooled(home.state)).toEqual([])
      expect(spooled(fallbackOf(home))).toEqual([])
    })

    const canLimit = isRoot && hasPrlimit && !door.isNode && door.isInstalled
    describe.skipIf(!canLimit)('if no other process can be started', () => {
      const limit = 'exec prlimit --nproc=1 "$@"'
      const giveTo = (user: number) => spawnSync('chown', ['-R', `${user}:${user}`, home.state])
      async function runAlone(options: DoorOptions) {
        await door.argv(home)
        for (const name of ['tmp', 'new'])
          mkdirSync(join(home.state, 'spool', name), { recursive: true, mode: 0o700 })
        giveTo(STRANGER)
        expect(quiet(await runDoor(door, home, options))).toEqual(silent)
        expect(spooled(home.state)).toEqual([])
      }
      const ids = { uid: STRANGER, gid: STRANGER }
      const salvaged = () => {
        giveTo(0)
        expect(salvage(spoolIn(home.state), Date.now() + 60_000)).toBe(1)
        return spooled(home.state).map(String)
      }

      it('keeps the event for the next worker', async () => {
        // The pipe stays open, and the last line has no end. It fits into the buffer of the pipe, so that nothing comes late.
        const large = JSON.stringify({ ...JSON.parse(EVENT), more: 'x'.repeat(100_000) })
        const feed: DoorOptions['feed'] = ({ stdin }) => stdin?.write(large)
        await runAlone({ script: limit, feed, ...ids })
        expect(salvaged()).toEqual([large])
      })

      it.skipIf(!canMount || !hasBusybox)('keeps it with a busybox and without bash', async () => {
        const hide = 'mount --bind /dev/null "$(readlink -f "$(command -v bash)")"'
        const script = `${hide}; ${asStranger} prlimit --nproc=1 busybox ash "$@"`
        const env = { ...home.env, text: 'of the environment' }
        await runAlone({ script: inMounts(script), input: EVENT, env })
        expect(salvaged()).toEqual([EVENT])
      })

      it('ends although the agent never stops writing', async () => {
        const block = Buffer.alloc(65536, 'x')
        const feed: DoorOptions['feed'] = ({ stdin }) => {
          const write = () => stdin?.write(block, (error) => error || write())
          write()
        }
        await runAlone({ script: limit, feed, ...ids })
      })
    })

    it.skipIf(door.isNode || !door.isInstalled).each(['dd', 'mv', 'sync'])(
      'lets the agent continue and stores the event later if the disk is slow: %s',
      async (program) => {
        const own = makeHome({ holdsWorkerBack: false })
        const ready = join(own.folder, 'ready')
        const wait = `until [ -e ${shellQuote(ready)} ]; do sleep 0.1; done`
        const script = `[ ${program} != mv ] || ${wait}\n/bin/${program} "$@"\n${wait}`
        // A process that waits for the disk cannot be killed, so the line that kills it is taken out.
        const changes = [shadow(own, { [program]: script }), ['  kill -9 "$reader"\n', '']] as const
        expect(quiet(await runDoor(door, own, { input: EVENT, changes }))).toEqual(silent)
        if (program === 'mv') expect(spooled(own.state)).toEqual([])
        writeFileSync(ready, '')
        await waitFor(() => existsSync(own.audit))
        expect(readdirSync(join(own.state, 'spool/tmp'))).toEqual([])
      },
    )

    it('accesses no predictable path in a shared folder', async (context) => {
      if (!hasStrace) return context.skip('strace is not installed')
      const log = join(home.folder, 'log')
      const script = `exec strace -f -qq -s 4096 -o ${shellQuote(log)} -e trace=%file "$@"`
      const options = { script, input: EVENT, changes: [] }
      expect(quiet(await runDoor(door, home, options))).toEqual(silent)
      const inLog = (path: string) => JSON.stringify(path).slice(1, -1)
      // The path of a program is resolved through all its parent folders.
      const above = foldersAbove(packageRoot(), home.folder).map((path) => `"${inLog(path)}"`)
      const own = [...[home.folder, packageRoot(), process.execPath].map(inLog), ...above]
      const shared = readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => /"\/(var\/)?tmp|"\/dev\/shm/.test(line))
      expect(shared.filter((line) => !own.some((path) => line.includes(path)))).toEqual([])
    })
  })
}

function foldersAbove(...paths: string[]): string[] {
  return paths.flatMap((path) =>
    dirname(path) === path ? [] : [dirname(path), ...foldersAbove(dirname(path))],
  )
}

const hasStrace = spawnSync('strace', ['-V']).status === 0

/** Runs the script with private mounts, which end with the process. */
function inMounts(script: string): string {
  return `exec unshare -m sh -c ${shellQuote(script)} agent "$@"`
}
