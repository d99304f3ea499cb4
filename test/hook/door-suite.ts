import type { ChildProcess } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { readQuietly } from '../../src/fs/read.ts'
import { parseSpoolFile } from '../../src/spool/event-file.ts'
import { MAX_BODY_BYTES } from '../../src/spool/layout.ts'
import { hasProc } from '../../src/spool/lock/owner.ts'
import { isFull } from '../support/runs.ts'
import {
  type Door,
  type DoorOptions,
  emptySpools,
  files,
  fixture,
  type Home,
  makeHome,
  openPipe,
  quiet,
  runDoor,
  shadow,
  silent,
  spooled,
  UNTIL_DEADLINE,
  UNTIL_READER_RUNS,
  waitFor,
} from './_door.ts'

const MIB = 1024 * 1024
/** No front door gives up earlier. */
const DEADLINE_MS = 900
const FUZZ_RUNS = isFull ? 1000 : 40

const SIGNALS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGUSR2'] as const
/** Includes SIGUSR1, at which Node.js would start its debugger. */
const NODE_SIGNALS = [...SIGNALS, 'SIGUSR1'] as const
/** Includes more signals that the shell ignores. Two of them stop a job that uses a terminal in the background. */
const SHELL_SIGNALS = [...SIGNALS, 'SIGPIPE', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU'] as const

const inputs: [string, Buffer][] = [
  ['empty input', Buffer.alloc(0)],
  ['a byte order mark', Buffer.from('\uFEFF{"a":1}')],
  ['NUL', Buffer.from('{"a":"\0"}\0\0')],
  ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0xc0, 0x80, 0x7d])],
  ['no JSON', Buffer.from('hello, world')],
  ['an array', Buffer.from('[1,[2]]')],
  ['a number', Buffer.from('12')],
  ['a million brackets', Buffer.from('['.repeat(1e6))],
  ['__proto__', Buffer.from('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}')],
  ['duplicate keys', Buffer.from('{"a":1,"a":2}')],
  ['lone surrogates', Buffer.from('{"a":"\\ud800","b":"\\udc00"}')],
  ['an unknown event', Buffer.from('{"hook_event_name":"Sneezed"}')],
  ['leading blank lines', Buffer.from('\n\n\n{"a":1}\n\n')],
  ['text like our header', Buffer.from('hookbell-event 1\nclient: x\n\n{"a":1}')],
  ['droid, without newline', fixture('droid', 'Stop')],
  ['Claude Code, with newline', fixture('claude', 'Stop')],
]

/** Tests that every front door accepts any input of an agent, in any way it is sent. */
export function doorSuite(door: Door) {
  let home: Home
  beforeEach(() => {
    home = makeHome()
  })

  async function expectTaken(options: DoorOptions, body: Buffer) {
    expect(quiet(await runDoor(door, home, options))).toEqual(silent)
    expectStored(home, body)
  }

  describe(`${door.name}: input`, () => {
    it.each(inputs)('stores %s unchanged and prints nothing', async (_, input) => {
      await expectTaken({ input }, input)
    })

    it('stores random inputs byte for byte', async () => {
      const bytes = fc.uint8Array({ maxLength: 4096 }).map((array) => Buffer.from(array))
      const hex = (bodies: Buffer[]) => bodies.map((body) => body.toString('hex')).sort()
      await fc.assert(
        fc.asyncProperty(fc.array(bytes, { minLength: 8, maxLength: 8 }), async (batch) => {
          const run = batch.map((input) => runDoor(door, home, { input }))
          for (const one of await Promise.all(run)) expect(quiet(one)).toEqual(silent)
          expect(hex(spooled(home.state))).toEqual(hex(batch))
          emptySpools(home)
        }),
        { numRuns: FUZZ_RUNS / 8 },
      )
    })

    it('keeps the first MiB of 100 MB in bounded memory', async () => {
      const input = Buffer.alloc(100 * MIB, '{"a":"b"},')
      await expectTaken(
        { script: `exec python3 -c '${MEASURE}' "$@"`, input },
        input.subarray(0, MAX_BODY_BYTES),
      )
      expect(Number(readFileSync(join(home.folder, 'peak'), 'utf8'))).toBeLessThan(100 * 1024)
    })

    it('keeps reading beyond the size limit, so that the agent gets no broken pipe', async () => {
      const script = '{ head -c 20000000 /dev/zero && echo all >written; } | "$@"'
      const isWritten = () => existsSync(join(home.folder, 'written'))
      expect(quiet(await runDoor(door, home, { script }))).toEqual(silent)
      expectStored(home, Buffer.alloc(MAX_BODY_BYTES))
      expect(isWritten()).toBe(true)
    })

    it('keeps the first MiB of 5 MB of pretty-printed JSON', async () => {
      const rows = Array.from({ length: 75_000 }, (_, id) => ({
        id,
        text: 'a line of text',
        on: true,
      }))
      const input = Buffer.from(JSON.stringify(rows, null, 2))
      expect(input.length).toBeGreaterThan(4.5 * MIB)
      await expectTaken({ input }, input.subarray(0, MAX_BODY_BYTES))
    })

    it('accepts 3 MB on a pipe that stays open', async () => {
      const input = Buffer.alloc(3 * MIB, 'x')
      const feed: DoorOptions['feed'] = async ({ stdin }) => {
        stdin?.write(input)
        await waitFor(() => files(join(home.state, 'spool/new')).length === 1)
        // Here, the front door would read the rest without end.
        stdin?.end()
      }
      await expectTaken({ feed }, input.subarray(0, MAX_BODY_BYTES))
    })
  })

  describe(`${door.name}: the client`, () => {
    it.each([
      [['--client', 'droid'], { client: 'droid' }],
      [['--client', 'droid', '--shared'], { client: 'droid', shared: true }],
      [['--shared', '--client=claude'], { client: 'claude', shared: true }],
    ])('is stored with the event: %j', async (args, expected) => {
      expect(quiet(await runDoor(door, home, { input: '{}', args }))).toEqual(silent)
      const [name = ''] = files(join(home.state, 'spool/new'))
      const { header } = parseSpoolFile(readFileSync(join(home.state, 'spool/new', name))) ?? {}
      expect({ ...header, env: undefined }).toEqual(expected)
    })
  })

  describe(`${door.name}: stdin`, () => {
    const event = '{"a":[1,"}"]}'
    const readable: [string, string][] = [
      ['a pipe', `printf '%s' '${event}' | "$@"`],
      ['a file', `printf '%s' '${event}' >event; "$@" <event`],
      [
        'a file read from its middle',
        `printf '%s' 'xx${event}' >event; { dd bs=2 count=1; "$@"; } <event 2>/dev/null >/dev/null`,
      ],
      [
        'a pipe with pauses',
        `{ printf '{"a":['; sleep 0.2; printf '1,"}"'; sleep 0.2; printf ']}'; } | "$@"`,
      ],
      ['a non-blocking pipe', `python3 -c '${nonBlocking('pipe')}' "$@"`],
      ['a non-blocking socket', `python3 -c '${nonBlocking('socket')}' "$@"`],
    ]
    it.each(readable)('reads %s', async (_, script) => {
      await expectTaken({ script }, Buffer.from(event))
    })

    const unreadable: [string, string][] = [
      ['closed', '"$@" <&-'],
      ['a folder', '"$@" </'],
      ['/dev/null', '"$@" </dev/null'],
      // Only bash can quote words for the string that script takes.
      ['a terminal', `bash -c 'script -qec "\${*@Q}" /dev/null </dev/null' bash "$@"`],
      ...(door.isNode ? [] : [IN_BACKGROUND]),
      ['opened for writing', '"$@" 0>out'],
      ['closed, like stdout and stderr', '"$@" <&- >&- 2>&-'],
    ]
    it.each(unreadable)('stores an event although stdin is %s', async (_, script) => {
      // The deadline ends further tries to read.
      expect(quiet(await runDoor(door, home, { script, changes: [] }))).toEqual(silent)
      expect(spooled(home.state)).toHaveLength(1)
    })

    it('accepts a complete event without waiting for the deadline on a pipe left open', async () => {
      await expectTaken({ feed: ({ stdin }) => stdin?.write(event) }, Buffer.from(event))
    })

    // The pause begins after the timer is set and before anything is read, or when the front door waits for input.
    it.runIf(door.isNode).each([
      ['socket', 'process.nextTick(pause)'],
      ['pipe', 'Atomics.wait = pause'],
    ])(
      'reads from a %s an event that arrived while the machine was paused',
      async (kind, program) => {
        const [code = '', begun = '', written = ''] = ['code.cjs', 'begun', 'written'].map((name) =>
          join(home.folder, name),
        )
        writeFileSync(code, PAUSE + program)
        const input = openPipe(home, '')
        const feed = async ({ stdin }: ChildProcess) => {
          await waitFor(() => existsSync(begun))
          if (stdin) await new Promise((resolve) => stdin.write(event, resolve))
          else writeSync(input, event)
          writeFileSync(written, '')
        }
        const stdin = kind === 'pipe' ? input : 'pipe'
        const env = { ...home.env, NODE_OPTIONS: `--require ${JSON.stringify(code)}` }
        const options: DoorOptions = { feed, env, stdio: [stdin, 'pipe', 'pipe'], changes: [] }
        expect(quiet(await runDoor(door, home, options))).toEqual(silent)
        expectStored(home, Buffer.from(event))
      },
    )

    it.runIf(!door.isNode && hasProc()).each(['stays open', 'is closed'])(
      'reads an event although its reader gets no processor time until after the deadline, and the pipe %s',
      async (end) => {
        const [late, starved] = [join(home.folder, 'late'), join(home.folder, 'starved')]
        const feed = async ({ pid, stdin }: ChildProcess) => {
          const reader = await childOf(pid, 'dd')
          // Like one without processor time, a stopped reader makes no progress although it does not wait for the agent.
          process.kill(reader, 'SIGSTOP')
          if (end === 'is closed') stdin?.end(event)
          else stdin?.write(event)
          writeFileSync(late, '')
          await waitFor(() => existsSync(starved))
          process.kill(reader, 'SIGCONT')
        }
        const changes = [
          [UNTIL_DEADLINE, `if [ ! -e ${late} ]; then`],
          [UNTIL_READER_RUNS, `! : >|${starved} ||`],
        ] as const
        expect(quiet(await runDoor(door, home, { feed, changes }))).toEqual(silent)
        expectStored(home, Buffer.from(event))
      },
    )

    it.runIf(!door.isNode && hasProc())(
      'gives up although its reader never gets processor time',
      async () => {
        const changes = [shadow(home, { dd: 'kill -STOP $$' })]
        expect(quiet(await runDoor(door, home, { feed: () => {}, changes }))).toEqual(silent)
        expect(spooled(home.state)).toEqual([Buffer.alloc(0)])
      },
    )

    it.runIf(hasProc()).each<NodeJS.Signals>(door.isNode ? NODE_SIGNALS : SHELL_SIGNALS)(
      'stores an event although %s comes while it is read',
      async (signal) => {
        const feed = async ({ pid, stdin }: ChildProcess) => {
          stdin?.write(event.slice(0, 5))
          // The front door sets its umask after it ignores signals and before it reads the input.
          await waitFor(() => /^Umask:\s+0077$/m.test(readQuietly(`/proc/${pid}/status`) ?? ''))
          process.kill(pid ?? Number.NaN, signal)
          stdin?.end(event.slice(5))
        }
        await expectTaken({ feed }, Buffer.from(event))
      },
    )

    it.each([
      ['no input', ''],
      ['half an event', '{"a":'],
      ['an open string', '{"a":"}'],
    ])('gives up at its deadline and stores the input so far: %s', async (_, input) => {
      const stdio = [openPipe(home, input), 'pipe', 'pipe'] as const
      const run = await runDoor(door, home, { feed: () => {}, stdio: [...stdio], changes: [] })
      expect(quiet(run)).toEqual(silent)
      expect(run.ms).toBeGreaterThanOrEqual(DEADLINE_MS)
      expect(spooled(home.state)).toEqual([Buffer.from(input)])
    })

    it('gives up at its deadline on an agent that never stops writing', async () => {
      const block = Buffer.alloc(64 * 1024, 'x')
      const feed: DoorOptions['feed'] = ({ stdin }) => {
        const write = () => stdin?.write(block, (error) => error || write())
        write()
      }
      expect(quiet(await runDoor(door, home, { feed, changes: [] }))).toEqual(silent)
      expect(spooled(home.state)).toHaveLength(1)
    })
  })

  describe(`${door.name}: stdout`, () => {
    it.each([
      ['closed', '"$@" >&- 2>&-'],
      ['a pipe nobody reads', '"$@" | true'],
      ['full', '"$@" >/dev/full 2>&1'],
    ])('stores the event when stdout is %s', async (_, script) => {
      expect(quiet(await runDoor(door, home, { script, input: '{}' }))).toEqual(silent)
      expect(spooled(home.state)).toHaveLength(1)
    })
  })
}

/** Waits until a process has started a program with this name. @returns its id */
async function childOf(parent: number | undefined, name: string): Promise<number> {
  const isChild = (pid: number) => {
    const [, comm, ppid] = / \((.*)\) \S (\d+)/s.exec(readQuietly(`/proc/${pid}/stat`) ?? '') ?? []
    return comm === name && Number(ppid) === parent
  }
  await waitFor(() => processes().some(isChild))
  return processes().find(isChild) ?? Number.NaN
}

const processes = () => readdirSync('/proc').map(Number).filter(Boolean)

/** A background job that reads its terminal is stopped, and an agent would wait for it without end. */
const IN_BACKGROUND: [string, string] = [
  'a terminal, in the background',
  `bash -c 'script -qec "bash -mc \\"\${*@Q} & exec >&- 2>&-; wait -f %1\\"" /dev/null </dev/null' bash "$@"`,
]

/** Runs a program, and writes the peak memory of its largest process, in KiB. */
const MEASURE = `
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
open("peak", "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
`

/** A pause of the whole process, until after the deadline and until the event is written. */
const PAUSE = `
const { existsSync, writeFileSync } = require('node:fs')
const { wait } = Atomics
const sleep = (ms) => wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
function pause() {
  writeFileSync('begun', '')
  sleep(1100)
  while (!existsSync('written')) sleep(20)
}
`

/** Expects exactly one event. Comparing a MiB element by element would take seconds. */
function expectStored(home: Home, body: Buffer) {
  const bodies = spooled(home.state)
  expect(bodies.map(({ length }) => length)).toEqual([body.length])
  expect(bodies[0]?.equals(body)).toBe(true)
  const [name = ''] = files(join(home.state, 'spool/new'))
  const { size } = statSync(join(home.state, 'spool/new', name))
  expect(size).toBeLessThan(MAX_BODY_BYTES + 64 * 1024)
}

function nonBlocking(kind: 'pipe' | 'socket'): string {
  return `
import os, socket, subprocess, sys, time
if "${kind}" == "pipe": r, w = os.pipe()
else:
    ours, theirs = socket.socketpair()
    r, w = theirs.fileno(), ours.fileno()
os.set_blocking(r, False)
door = subprocess.Popen(sys.argv[1:], stdin=r)
os.close(r)
if "${kind}" == "socket": theirs.detach()
time.sleep(0.1); os.write(w, b"{\\"a\\":["); time.sleep(0.1); os.write(w, b"1,\\"}\\"]}")
os.close(w)
if "${kind}" == "socket": ours.detach()
sys.exit(door.wait())
`
}
