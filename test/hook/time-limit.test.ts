import { type StdioOptions, spawnSync } from 'node:child_process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasProc } from '../../src/spool/lock/owner.ts'
import { descendantsOf } from '../support/fake-agent.ts'
import { shellQuote } from '../support/shell-quote.ts'
import {
  type DoorOptions,
  fallbackOf,
  makeHome,
  openPipe,
  quiet,
  runDoor,
  shDoor,
  shells,
  silent,
  spooled,
} from './_door.ts'

const isRoot = process.getuid?.() === 0
const canMount =
  isRoot && spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'x', '/mnt']).status === 0
const hasPython = spawnSync('python3', ['-V']).status === 0

const NO_DEVICES = 'mount -t tmpfs -o ro x /dev'
/** The agent writes no more, but leaves the pipe open. */
const HALF = '{"hook_event_name":"Stop","text":"'

type Process = ReturnType<typeof descendantsOf>[number]
const isReader = ({ name }: Process) => /^(dd|cat)$/.test(name)

/** Kills what a front door has started, while it reads: of the processes that are chosen, the first, or one after the other. */
function killing(choose: (all: Process[], door: number) => Process[], isOnce: boolean) {
  return (door: number) => {
    const timer = setInterval(() => {
      const all = descendantsOf(door)
      if (!all.some(isReader)) return
      const chosen = choose(all, door)
      for (const { pid } of chosen) spawnSync('kill', ['-9', `${pid}`])
      if (isOnce && chosen.length > 0) clearInterval(timer)
    }, 10)
    onTestFinished(() => clearInterval(timer))
  }
}

const readers = (all: Process[]) => all.filter(isReader)
const sleeps = (all: Process[]) => all.filter(({ name }) => name === 'sleep')
const watchers = (all: Process[], door: number) =>
  all.filter((one) => one.parent === door && !isReader(one) && one.name !== 'awk')

/** What happens to a front door: this, or the script in which it is `"$@"`. */
type Trouble = ((door: number) => void) | string

/** The front door reads all that comes within its time. */
const harmless: Record<string, Trouble> = {
  'its watcher is killed': killing(watchers, true),
  'a `sleep` is killed': killing(sleeps, true),
  'its reader is killed': killing(readers, true),
  ...(canMount && {
    '/dev is read-only': inMounts('mount -o remount,ro,bind /dev'),
    'there is no /proc': inMounts('mount -t tmpfs x /proc'),
  }),
  ...(hasPython && {
    'the agent ignores the end of processes': python('signal(SIGCHLD, SIG_IGN)'),
    'the agent blocks the signal for that': python('pthread_sigmask(SIG_BLOCK, [SIGCHLD])'),
  }),
}

/** The front door cannot measure the time, or read at all. */
const harmful: Record<string, Trouble> = {
  'each watcher is killed': killing(watchers, false),
  'each `sleep` is killed': killing(sleeps, false),
  'each reader is killed': killing(readers, false),
  ...(canMount && {
    'there is no /dev/null': inMounts(NO_DEVICES),
    'there is no `sleep`': inMounts(
      'mount --bind /dev/null "$(readlink -f "$(command -v sleep)")"',
    ),
  }),
}

function inMounts(script: string): string {
  return `exec unshare -m sh -c ${shellQuote(`${script}; exec "$@"`)} agent "$@"`
}

function python(call: string): string {
  const program = `import os, sys\nfrom signal import *\n${call}\nos.execvp(sys.argv[1], sys.argv[1:])`
  return `exec python3 -c ${shellQuote(program)} "$@"`
}

/** Runs front doors at the same time, one for each trouble. @returns what each one did, and what it stored */
async function runAll(shell: string, troubles: Record<string, Trouble>) {
  const runs = Object.entries(troubles).map(async ([name, trouble]) => {
    const home = makeHome()
    const [prepare, meddle] = typeof trouble === 'string' ? [trouble] : ['exec "$@"', trouble]
    const feed: DoorOptions['feed'] = ({ pid }) => {
      meddle?.(pid ?? Number.NaN)
    }
    const script = `set -- ${shell} "$@"; ${prepare}`
    const stdio: StdioOptions = [openPipe(home, HALF), 'pipe', 'pipe']
    const run = await runDoor(shDoor, home, { script, feed, stdio, changes: [] })
    const bodies = [home.state, fallbackOf(home)].flatMap(spooled).map(String)
    return { name, run: quiet(run), bodies }
  })
  return await Promise.all(runs)
}

describe.skipIf(!hasProc())('the front door in sh, while the agent leaves the pipe open', () => {
  it.each(shells)('ends, and stores what came, whatever ends under %s', async (shell) => {
    const wanted = Object.keys(harmless).map((name) => ({ name, run: silent, bodies: [HALF] }))
    expect(await runAll(shell, harmless)).toEqual(wanted)
  })

  it.each(shells)('ends although it cannot measure the time or read under %s', async (shell) => {
    for (const { name, run, bodies } of await runAll(shell, harmful)) {
      expect({ name, run }).toEqual({ name, run: silent })
      // It may still be storing it.
      expect(bodies.filter((body) => !HALF.startsWith(body))).toEqual([])
    }
  })

  it.skipIf(!canMount).each(shells.filter((name) => /^(dash|busybox|bash)/.test(name)))(
    'stores what came although there is no /dev/null under %s',
    async (shell) => {
      const [ended] = await runAll(shell, { x: inMounts(NO_DEVICES) })
      expect(ended).toEqual({ name: 'x', run: silent, bodies: [HALF] })
    },
  )
})
