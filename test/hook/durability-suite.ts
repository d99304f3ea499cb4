import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readQuietly } from '../../src/fs/read.ts'
import { isFull } from '../support/runs.ts'
import { shellQuote } from '../support/shell-quote.ts'
import {
  type Door,
  fallbackOf,
  files,
  type Home,
  makeHome,
  quiet,
  runDoor,
  silent,
  spooled,
  waitFor,
} from './_door.ts'

const hasStrace = spawnSync('strace', ['-V']).status === 0
const EVENT = `{"hook_event_name":"Stop","text":"${'x'.repeat(3000)}"}`
/** All system calls with which a front door changes files. */
const STEPS = [
  'openat',
  'write',
  'writev',
  'fsync',
  'fdatasync',
  'close',
  'rename',
  'renameat',
  'renameat2',
  'mkdir',
  'dup2',
]
/** Every STEP-th occurrence of a call is tested; with HOOKBELL_FULL all of them. */
const STEP = isFull ? 1 : 9

/** Tests the state on the disk at each moment while an event is accepted. */
export function durabilitySuite(door: Door) {
  describe.skipIf(!hasStrace)(`${door.name}: durability`, () => {
    it('writes and syncs the file, renames it, syncs the folder and ends, in this order', async () => {
      const home = makeHome()
      const log = join(home.folder, 'log')
      const trace = 'trace=execve,write,writev,fsync,fdatasync,rename,renameat,renameat2,exit_group'
      // Each sync takes 100 ms, so that a front door that does not wait for it would end before it.
      const slow = 'inject=fsync,fdatasync:delay_enter=100000'
      const script = `exec strace -f -y -qq -s 8 -o ${shellQuote(log)} -e ${trace} -e ${slow} "$@"`
      expect(quiet(await runDoor(door, home, { script, input: EVENT }))).toEqual(silent)
      // Calls may occur twice, because one that a signal interrupts is repeated.
      expect(orderOf(readFileSync(log, 'utf8'))).toMatch(
        /^(write )+(fsync )+rename sync-folder( \w+)* exit $/,
      )
    })

    it.each([
      ['a rename reports a failure after it has happened', 'EIO', 'spool/new'],
      ['a worker was faster because the front door was stopped', 'ENOENT', 'spool/cur'],
    ])('stores the event once if %s', async (_, error, to) => {
      const home = makeHome({ holdsWorkerBack: false })
      // No worker is started for a state folder that others can change.
      chmodSync(home.state, 0o777)
      const [tmp = '', moved = ''] = ['spool/tmp', to].map((name) => join(home.state, name))
      mkdirSync(moved, { recursive: true, mode: 0o700 })
      const calls = 'rename,renameat,renameat2'
      const inject = `inject=${calls}:error=${error}:delay_enter=600000:when=1`
      const script = `exec strace -f -qq -o /dev/null -e trace=${calls} -e ${inject} "$@"`
      const running = runDoor(door, home, { script, input: EVENT })
      // Moves the file like a file server whose response is lost, or like a worker that takes the event at once.
      const moveWhole = () => {
        const [name = ''] = files(tmp)
        if (!readQuietly(join(tmp, name))?.endsWith(EVENT)) return false
        renameSync(join(tmp, name), join(moved, name))
        return true
      }
      await waitFor(moveWhole)
      expect(quiet(await running)).toEqual(silent)
      expect(files(moved)).toHaveLength(1)
      expect(spooled(fallbackOf(home))).toEqual([])
      // The front door continued, and tried to start a worker.
      expect(files(home.state)).toContain('worker.starting')
    })

    it('leaves no half-written event in new/ when it is killed at any system call', async () => {
      const home = makeHome()
      let killed = 0
      for (const step of STEPS) {
        const last = await countCalls(door, home, step)
        for (let at = 1; at <= last; at += STEP) {
          const script = `exec strace -f -qq -o /dev/null -e trace=${step} -e inject=${step}:signal=KILL:when=${at} "$@"`
          const { signal } = await runDoor(door, home, { script, input: EVENT })
          for (const body of spooled(home.state)) expect(body.toString()).toBe(EVENT)
          if (signal === 'SIGKILL') killed += 1
        }
      }
      expect(killed).toBeGreaterThan(4)
      expect(
        files(home.state).filter(
          (name) => !/^(spool|worker\.lock|runtime|hookbell-hook)$/.test(name),
        ),
      ).toEqual([])
    })
  })
}

/** The highest number of these calls in one process, because strace counts per process. */
async function countCalls(door: Door, home: Home, step: string): Promise<number> {
  const log = join(home.folder, 'log')
  const script = `exec strace -f -qq -o ${shellQuote(log)} -e trace=${step} "$@"`
  await runDoor(door, home, { script, input: EVENT })
  const counts = new Map<string, number>()
  for (const line of readFileSync(log, 'utf8').split('\n')) {
    const [pid = ''] = line.split(' ')
    counts.set(pid, (counts.get(pid) ?? 0) + 1)
  }
  return Math.max(...counts.values())
}

/** Reduces the trace to one word for each call on the event's file or its folder, and for the end of the front door. */
function orderOf(trace: string): string {
  // The first line is the `execve` of the front door itself. The ends of the programs that it runs do not count.
  const [door = ''] = trace.split(' ', 1)
  const begun = new Map<string, string>()
  const words = trace.split('\n').map((line) => {
    const [pid = ''] = line.split(' ', 1)
    // A call counts when it ends. If another process makes one meanwhile, its end has a line of its own.
    if (line.includes(' resumed>')) return begun.get(pid) ?? ''
    const word = wordFor(line, pid === door)
    begun.set(pid, word)
    return line.endsWith('<unfinished ...>') ? '' : word
  })
  return words.join('')
}

function wordFor(line: string, isDoor: boolean): string {
  if (isDoor && line.includes(' exit_group(')) return 'exit '
  if (/ write(v)?\(\d+<[^>]*\/spool\/tmp\//.test(line)) return 'write '
  if (/ (fsync|fdatasync)\(\d+<[^>]*\/spool\/tmp\//.test(line)) return 'fsync '
  if (/ rename(at2?)?\(.*\/spool\/new\//.test(line)) return 'rename '
  if (/ (fsync|fdatasync)\(\d+<[^>]*\/spool\/new>/.test(line)) return 'sync-folder '
  return ''
}
