import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type Door,
  files,
  type Home,
  makeHome,
  quiet,
  repin,
  runDoor,
  silent,
  waitFor,
} from './_door.ts'

const EVENT = '{"hook_event_name":"Stop"}'
const MAX = 10_000
/** Above the largest process id. */
const GONE = 2 ** 22 + 1

/** Tests that a worker that never starts does not let the disk fill up. */
export function waitingSuite(door: Door) {
  async function makeBroken(count: number) {
    const made = await makeWaiting(count)
    const node = join(made.home.folder, 'node')
    writeFileSync(node, '#!/bin/sh\nexit 127\n', { mode: 0o755 })
    repin(made.home, 'node', node)
    return made
  }

  async function makeWaiting(count: number) {
    const home = makeHome({ holdsWorkerBack: false })
    await door.argv(home)
    const folder = join(home.state, 'spool/new')
    for (const path of [join(home.state, 'spool'), join(home.state, 'spool/tmp'), folder])
      mkdirSync(path, { mode: 0o700 })
    for (let index = 0; index < count; index += 1) {
      const path = join(folder, `e${index}~0`)
      writeFileSync(path, 'x')
      utimesSync(path, 1000 + index, 1000 + index)
    }
    const run = async () => {
      expect(quiet(await runDoor(door, home, { input: EVENT }))).toEqual(silent)
    }
    const waiting = () => readdirSync(folder).length
    /** Writes the marker of a worker that was started a minute ago. By default it has ended. */
    const setMarker = (pid = GONE) => {
      const uptime = Math.floor(Number.parseFloat(readFileSync('/proc/uptime', 'utf8')))
      writeFileSync(join(home.state, 'worker.starting'), `${pid} ${uptime - 60}\n`)
    }
    return { home, run, waiting, setMarker }
  }

  const journalOf = ({ state }: Home) => join(state, 'journal.jsonl')
  const recordsOf = (home: Home) =>
    existsSync(journalOf(home))
      ? readFileSync(journalOf(home), 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line))
      : []

  describe(`${door.name}: events that no worker takes`, () => {
    it('are limited to the newest after a start has failed, and the others are recorded', async () => {
      const { home, run, waiting, setMarker } = await makeBroken(MAX + 1)
      await run()
      // It is not known yet whether a worker starts.
      expect(waiting()).toBe(MAX + 2)
      setMarker()
      await run()
      // Each event is moved away first, and then recorded.
      await waitFor(() => waiting() === MAX && recordsOf(home).length === 3)
      const reason = `more than ${MAX} waited, and no worker started`
      const dropped = (id: string) => ({ at: expect.any(Number), id, type: 'dropped', reason })
      const byId = recordsOf(home).sort((a, b) => a.id.localeCompare(b.id))
      expect(byId).toEqual(['e0', 'e1', 'e2'].map(dropped))
    })

    it.skipIf(door.isNode)(
      'are not limited right after a start, which may have been in another container',
      async () => {
        const { home, run, waiting } = await makeBroken(MAX + 1)
        // A clock that stands still.
        const clock = join(home.folder, 'uptime')
        writeFileSync(clock, '1000.00 1.00\n')
        await door.argv(home, [['read -r now rest </proc/uptime', `read -r now rest <${clock}`]])
        for (const _ of [1, 2]) await run()
        expect(waiting()).toBe(MAX + 3)
      },
    )

    it('are not limited while deliveries are on hold', async () => {
      const { home, run, waiting, setMarker } = await makeBroken(MAX + 1)
      mkdirSync(join(home.state, 'spool/requests'), { recursive: true })
      writeFileSync(join(home.state, 'spool/requests/hold'), '')
      for (const _ of [1, 2]) {
        setMarker()
        await run()
      }
      rmSync(join(home.state, 'spool/requests/hold'))
      expect(waiting()).toBe(MAX + 3)
      setMarker()
      await run()
      await waitFor(() => waiting() === MAX)
    })

    it('are not limited while a worker takes long to start', async () => {
      const { run, waiting, setMarker } = await makeBroken(MAX + 1)
      for (const _ of [1, 2, 3]) {
        setMarker(process.pid)
        await run()
      }
      expect(waiting()).toBe(MAX + 4)
    })

    it('are recognized among other files, whatever the session sets for `ls`', async () => {
      const { home, run, waiting, setMarker } = await makeBroken(MAX)
      const others = ['with "quotes"', 'folder'].map((name) => join(home.state, 'spool/new', name))
      const [file = '', folder = ''] = others
      writeFileSync(file, 'x')
      mkdirSync(folder)
      for (const path of others) utimesSync(path, 0, 0)
      setMarker()
      home.env.QUOTING_STYLE = 'c'
      await run()
      await waitFor(() => waiting() === MAX + 2)
      for (const path of others) expect(existsSync(path)).toBe(true)
      await waitFor(() => recordsOf(home).some(({ id }) => id === 'e0'))
    })

    it('are not recorded as dropped if a worker starts after all, and takes them', async () => {
      const { home, run, waiting, setMarker } = await makeWaiting(MAX + 500)
      setMarker()
      await run()
      await waitFor(() => waiting() === 0 && files(join(home.state, 'spool/tmp')).length === 0)
      const dropped = new Set(recordsOf(home).map(({ id, type }) => type === 'dropped' && id))
      // The worker moves them to corrupt/, because none of them is a valid event.
      const taken = files(join(home.state, 'spool/corrupt')).map((name) =>
        name.replace(/^\d+-|~\d+$/g, ''),
      )
      expect(taken.length).toBeGreaterThan(0)
      expect(taken.filter((id) => dropped.has(id))).toEqual([])
    })

    it('are limited although the journal is too large to record it', async () => {
      const { home, run, waiting, setMarker } = await makeBroken(MAX)
      writeFileSync(journalOf(home), ' '.repeat(17 * 1024 * 1024))
      const { size } = statSync(journalOf(home))
      setMarker()
      await run()
      await waitFor(() => waiting() === MAX)
      expect(statSync(journalOf(home)).size).toBe(size)
    })
  })
}
