import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { parseSpoolFile } from '../../src/spool/header.ts'
import { MAX_BODY_BYTES } from '../../src/spool/layout.ts'
import {
  DEADLINE_MS,
  type Door,
  emptySpools,
  files,
  fixture,
  type Home,
  makeHome,
  quiet,
  type RingOptions,
  ring,
  ringInTime,
  silent,
  spooled,
} from './_door.ts'

const MIB = 1024 * 1024
const FUZZ_RUNS = process.env.HOOKBELL_FULL ? 1000 : 40

const inputs: [string, Buffer][] = [
  ['nothing', Buffer.alloc(0)],
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
  ['blank lines first', Buffer.from('\n\n\n{"a":1}\n\n')],
  ['what looks like our header', Buffer.from('hookbell-event 1\nclient: x\n\n{"a":1}')],
  ['droid, without newline', fixture('droid', 'Stop')],
  ['Claude Code, with newline', fixture('claude', 'Stop')],
]

/** What every front door promises for whatever an agent says, however it says it. */
export function doorSuite(door: Door) {
  let home: Home
  beforeEach(() => {
    home = makeHome()
  })

  async function expectTaken(options: RingOptions, body: Buffer) {
    const isRight = () => spooled(home.state)[0]?.equals(body) ?? false
    expect(quiet(await ringInTime(door, home, options, isRight))).toEqual(silent)
    expectStored(home, body)
  }

  describe(`${door.name}: what the agent sends`, () => {
    it.each(inputs)('stores %s as it came, in silence', async (_, input) => {
      await expectTaken({ input }, input)
    })

    it('stores random inputs byte for byte', async () => {
      const bytes = fc.uint8Array({ maxLength: 4096 }).map((array) => Buffer.from(array))
      const hex = (bodies: Buffer[]) => bodies.map((body) => body.toString('hex')).sort()
      const isStored = (batch: Buffer[]) => `${hex(spooled(home.state))}` === `${hex(batch)}`
      await fc.assert(
        fc.asyncProperty(fc.array(bytes, { minLength: 8, maxLength: 8 }), async (batch) => {
          const ringAll = () => Promise.all(batch.map((input) => ring(door, home, { input })))
          let rung = await ringAll()
          const isSlow = () => rung.some(({ ms }) => ms >= DEADLINE_MS)
          for (let left = 9; !isStored(batch) && isSlow() && left > 0; left -= 1) {
            emptySpools(home)
            rung = await ringAll()
          }
          for (const one of rung) expect(quiet(one)).toEqual(silent)
          expect(hex(spooled(home.state))).toEqual(hex(batch))
          emptySpools(home)
        }),
        { numRuns: FUZZ_RUNS / 8 },
      )
    })

    it('keeps the first MiB of 100 MB in bounded memory', async () => {
      const input = Buffer.alloc(100 * MIB, '{"a":"b"},')
      const script = door.isNode ? 'exec "$@"' : 'ulimit -v 200000; exec "$@"'
      await expectTaken({ script, input }, input.subarray(0, MAX_BODY_BYTES))
    })

    it('reads on behind the cap, so that the agent sees no broken pipe', async () => {
      const script = '{ head -c 20000000 /dev/zero && echo all >written; } | "$@"'
      const isWritten = () => existsSync(join(home.folder, 'written'))
      expect(quiet(await ringInTime(door, home, { script }, isWritten))).toEqual(silent)
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
      const feed = (child: { stdin: NodeJS.WritableStream | null }) => child.stdin?.write(input)
      await expectTaken({ feed }, input.subarray(0, MAX_BODY_BYTES))
    })
  })

  describe(`${door.name}: whose hook it is`, () => {
    it.each([
      [['--client', 'droid'], { client: 'droid' }],
      [['--client', 'droid', '--shared'], { client: 'droid', shared: true }],
      [['--shared', '--client=claude'], { client: 'claude', shared: true }],
    ])('is kept with the event: %j', async (args, expected) => {
      expect(quiet(await ring(door, home, { input: '{}', args }))).toEqual(silent)
      const [name = ''] = files(join(home.state, 'spool/new'))
      const { header } = parseSpoolFile(readFileSync(join(home.state, 'spool/new', name))) ?? {}
      expect({ ...header, env: undefined }).toEqual(expected)
    })
  })

  describe(`${door.name}: what stdin is`, () => {
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
      ['opened for writing', '"$@" 0>out'],
      ['closed, like stdout and stderr', '"$@" <&- >&- 2>&-'],
    ]
    it.each(unreadable)('tells of an event although stdin is %s', async (_, script) => {
      expect(quiet(await ring(door, home, { script }))).toEqual(silent)
      expect(spooled(home.state)).toHaveLength(1)
    })

    it('accepts a complete event well before the deadline on a pipe left open', async () => {
      const event = '{"a":{"b":"}"}}\n'
      const feed: RingOptions['feed'] = ({ stdin }) => stdin?.write(event)
      let open = await ring(door, home, { feed })
      // Whoever waits for the deadline is never quicker; whoever does not may be slowed down by the machine.
      for (let left = 9; open.ms >= DEADLINE_MS && left > 0; left -= 1)
        open = await ring(door, home, { feed })
      expect(quiet(open)).toEqual(silent)
      expect(open.ms).toBeLessThan(DEADLINE_MS)
      expect(spooled(home.state)).toContainEqual(Buffer.from(event))
    })

    it.each([
      ['never written', ''],
      ['half an event', '{"a":'],
      ['an open string', '{"a":"}'],
    ])('gives up at its own deadline: %s', async (_, input) => {
      const rung = await ring(door, home, { feed: ({ stdin }) => stdin?.write(input) })
      expect(quiet(rung)).toEqual(silent)
      expect(rung.ms).toBeGreaterThanOrEqual(DEADLINE_MS)
      expect(spooled(home.state)).toEqual([Buffer.from(input)])
    })
  })

  describe(`${door.name}: where its output would go`, () => {
    it.each([
      ['closed', '"$@" >&- 2>&-'],
      ['a pipe nobody reads', '"$@" | true'],
      ['full', '"$@" >/dev/full 2>&1'],
    ])('does not mind that stdout is %s', async (_, script) => {
      expect(quiet(await ring(door, home, { script, input: '{}' }))).toEqual(silent)
      expect(spooled(home.state)).toHaveLength(1)
    })
  })
}

/** Exactly this one. An element-by-element comparison of a MiB would take seconds. */
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
