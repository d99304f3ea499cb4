import { mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { JournalEntry } from '../../../src/journal/entry.ts'
import { writeNote } from '../../../src/journal/fold.ts'
import { appendEntry } from '../../../src/journal/journal.ts'
import { acquireLock, releaseLock } from '../../../src/spool/lock/lock.ts'
import { lastDue } from '../../../src/text/schedule.ts'
import { openWorker } from '../../../src/worker/open-worker.ts'
import { DigestSchedule } from '../../../src/worker/own-messages/digest.ts'
import { makeHome } from '../../support/home.ts'
import { parkedOf, removeParked } from '../../support/parked.ts'
import { startReceiver } from '../../support/receiver.ts'
import { isFull } from '../../support/runs.ts'
import { makeWorld, readLines } from '../_world.ts'

const MINUTE_MS = 60_000
const stop = { hook_event_name: 'Stop', session_id: 's1' }

/** The time of day in UTC (HH:MM) that many minutes from now. */
const clock = (minutes: number) =>
  new Date(Date.now() + minutes * MINUTE_MS).toISOString().slice(11, 16)

/** Notes up to which time digests are settled. */
function noteSettled(stateDir: string, due: number) {
  writeNote(stateDir, { at: Date.now(), type: 'note', subject: 'digest', value: `${due}` })
}

/** A home with a digest and one earlier event; `makeDue` makes the digest due. */
async function makeDigestHome({
  script = [200],
  noise = {},
  ...changes
}: {
  script?: number[]
  noise?: object
  at?: string
} = {}) {
  const { url, received } = await startReceiver({ script })
  const digest = { at: clock(2), to: ['team'], timeZone: 'UTC', ...changes }
  const settings = {
    channels: { team: { type: 'slack', url }, audit: { type: 'file', path: '~/audit.jsonl' } },
    routes: [{ on: ['failed'], to: ['audit'] }],
    digest,
    noise,
    lingerSeconds: 0,
  }
  const home = await makeHome(settings)
  /** Delivers an event of ten minutes ago, which is before the digest is due. */
  const happen = async (event: object, client = 'droid') => {
    const id = home.accept({ ...event, cwd: home.project }, client)
    const then = new Date(Date.now() - 10 * MINUTE_MS)
    utimesSync(join(home.state, 'spool/new', id), then, then)
    await home.run('worker', '--once')
  }
  await happen(stop)
  const makeDue = (at = clock(0)) => {
    const config = { ...settings, digest: { ...digest, at } }
    noteSettled(home.state, lastDue(config.digest, Date.now()) - MINUTE_MS)
    return home.writeConfig(JSON.stringify(config))
  }
  const digests = () => received.filter(({ body }) => body.includes('Digest:'))
  return { home, happen, makeDue, digests }
}

describe('the digest', () => {
  it('is sent at its time, also in quiet hours', async () => {
    const noise = { quietHours: [{ from: '00:00', to: '24:00' }] }
    const { home, makeDue, digests } = await makeDigestHome({ noise })
    await makeDue()
    await home.run('worker', '--once')
    expect(digests()).toHaveLength(1)
  })

  it('does not list a question that was answered while no worker ran', async () => {
    const { home, happen, makeDue, digests } = await makeDigestHome()
    const path = join(home.home, '.claude/projects/-srv/s2.jsonl')
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, '\n')
    const ask = { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_use_id: 't1' }
    await happen({ ...ask, session_id: 's2', transcript_path: path }, 'claude')
    await happen({ ...ask, session_id: 's3' }, 'claude')
    const result = { type: 'tool_result', tool_use_id: 't1', content: 'ok' }
    const timestamp = new Date(Date.now() - MINUTE_MS).toISOString()
    const line = { type: 'user', timestamp, message: { role: 'user', content: [result] } }
    writeFileSync(path, `${JSON.stringify(line)}\n`)
    await makeDue()
    await home.run('worker', '--once')
    expect(digests()[0]?.body).toContain('Digest: 1 done, 2 asked, 1 still waiting')
  })

  it('is sent once when it is due', async () => {
    const { home, makeDue, digests } = await makeDigestHome()
    expect(digests()).toHaveLength(0)
    await makeDue()
    await home.run('worker', '--once')
    expect(digests()).toHaveLength(1)
    expect(digests()[0]?.body).toContain('Digest: 1 done')
    await home.run('worker', '--once')
    expect(digests()).toHaveLength(1)
    const { stdout } = await home.run('log', '--json')
    expect(JSON.parse(stdout).at(-1)).toMatchObject({ event: 'Digest', outcome: 'delivered' })
  })

  it('is sent once by two concurrent workers, and also when the note that it was sent is lost', async () => {
    const { home, makeDue, digests } = await makeDigestHome()
    const at = clock(0)
    await makeDue(at)
    await Promise.all([home.run('worker', '--once'), home.run('worker', '--once')])
    expect(digests()).toHaveLength(1)
    await makeDue(at)
    await home.run('worker', '--once')
    expect(digests()).toHaveLength(1)
    rmSync(join(home.state, 'checkpoint.json'))
    const lines = readFileSync(join(home.state, 'journal.jsonl'), 'utf8').split('\n')
    const others = lines.filter((line) => !line.includes('"type":"note"'))
    writeFileSync(join(home.state, 'journal.jsonl'), others.join('\n'))
    await home.run('worker', '--once')
    expect(digests()).toHaveLength(1)
  })

  it('is retried like any other message', async () => {
    const { home, makeDue, digests } = await makeDigestHome({ script: [500, 200] })
    await makeDue()
    await home.run('worker', '--once')
    await home.run('flush')
    await home.run('worker', '--once')
    expect(digests()).toHaveLength(2)
    expect((await home.run('status', '--json')).stdout).toContain('"waiting": 0')
  })

  it('is not sent if nothing happened or everything is muted', async () => {
    const { home, happen, makeDue, digests } = await makeDigestHome()
    rmSync(join(home.state, 'journal.jsonl'))
    await makeDue()
    await home.run('worker', '--once')
    expect(digests()).toHaveLength(0)
    await happen({ ...stop, hook_event_name: 'StopFailure' })
    await home.run('mute', '1h')
    await makeDue()
    await home.run('worker', '--once')
    expect(digests()).toHaveLength(0)
    const { stdout } = await home.run('log', '--json')
    expect(JSON.parse(stdout).at(-1)).toMatchObject({ event: 'Digest', outcome: 'suppressed' })
  })

  it('is reported by `status` if it names an unknown channel', async () => {
    const { home } = await makeDigestHome()
    await home.writeConfig(JSON.stringify({ digest: { at: '18:00', to: ['desktp'] } }))
    const { stdout } = await home.run('status')
    expect(stdout).toContain('digest.to.0: unknown channel "desktp"')
    expect(stdout).toContain('Did you mean "desktop"?')
  })

  // Takes up to two minutes, because digests are due on a full minute.
  it.runIf(isFull)('keeps the worker running until it is due', async () => {
    const { home, digests } = await makeDigestHome({ at: clock(2) })
    home.accept({ ...stop, cwd: home.project })
    await home.run('worker')
    expect(digests()).toHaveLength(1)
  })
})

describe('the schedule of the digest', () => {
  const id = 'digest-20260504T180000Z'
  const names = [`${id}.file`, `${id}.second`]
  const at = (time: string) => Date.parse(`2026-05-${time}Z`)

  /** The schedules of workers that run one after the other, with two channels and one clock. */
  function makeSchedules(more: object = {}) {
    const world = makeWorld()
    const file = { type: 'file', path: world.outFile }
    const digest = { at: '18:00', to: ['file', 'second'], timeZone: 'UTC' }
    world.configure({ channels: { file, second: file }, digest, ...more })
    acquireLock(world.stateDir)
    onTestFinished(() => releaseLock(world.stateDir))
    const clock = { now: at('04T17:00:00') }
    const { deps } = openWorker(world)
    const start = () => new DigestSchedule({ ...deps, now: () => clock.now })
    const note = (entry: object) =>
      appendEntry(world.stateDir, { at: 1, id, ...entry } as JournalEntry)
    const happen = (time: string) => {
      const about = {
        id: time,
        type: 'accepted',
        acceptedAt: at(time),
        event: 'Stop',
        kind: 'done',
      }
      return note({ ...about, client: 'claude', sessionId: '', project: '', title: 'x' })
    }
    const recorded = () => {
      const all = readLines<JournalEntry>(join(world.stateDir, 'journal.jsonl'))
      return all.filter((entry) => entry.id === id && entry.type === 'accepted')
    }
    return { world, deps, clock, start, note, happen, recorded }
  }

  /** The schedules after the digest of the day before was settled, with an event since then. */
  async function makeDue(more: object = {}) {
    const all = makeSchedules(more)
    await all.start().check(0)
    await all.happen('04T12:00:00')
    all.clock.now = at('04T18:00:00')
    return all
  }

  it('shows the text of open questions only on channels that may have text of the agent', async () => {
    const file = { type: 'file', path: '~/audit.jsonl' }
    const channels = { file, second: { ...file, clearance: 'minimal' } }
    const { world, note, start } = await makeDue({ channels })
    const time = { at: 1, acceptedAt: at('04T13:00:00') }
    const about = { client: 'claude', sessionId: 's1', project: '', title: 'x: permission needed' }
    await note({
      ...{ id: 'asks', type: 'accepted', ...time, ...about },
      ...{ event: 'PermissionRequest', kind: 'permission', text: 'Bash: npm publish' },
    })
    await start().check(0)
    const bodies = names.map((name) => parkedOf(world.spool, name)?.delivery.message.body)
    expect(bodies).toEqual([
      expect.stringMatching(/: x: permission needed · Bash: npm publish$/),
      expect.stringMatching(/: x: permission needed$/),
    ])
  })

  it('begins with the next due time, and goes on with a later worker', async () => {
    const { world, clock, start, happen, recorded } = makeSchedules()
    await happen('03T12:00:00')
    await happen('04T12:00:00')
    const first = start()
    await first.check(0)
    expect([world.parked(), first.nextInMs]).toEqual([[], 3600_000])
    clock.now = at('04T18:00:00')
    await start().check(0)
    expect(world.parked()).toEqual(names)
    expect(recorded()).toMatchObject([{ to: ['file', 'second'], client: 'hookbell' }])
    const { isHeld, delivery } = parkedOf(world.spool, `${id}.file`) ?? {}
    expect([isHeld, delivery?.notBefore]).toEqual([true, clock.now])
    // The digest counts only the event since the previous due time.
    expect(delivery?.message.title).toContain('Digest: 1 done')
    for (const name of names) removeParked(world.spool, name)
    await start().check(0)
    expect(world.parked()).toEqual([])
  })

  it('keeps a worker running only if something has happened since the last digest', async () => {
    const { start } = await makeDue()
    const schedule = start()
    await schedule.check(5)
    expect(schedule.nextInMs).toBeUndefined()
    // Two more, which are the deliveries of the digest itself.
    await schedule.check(7)
    expect(schedule.nextInMs).toBeUndefined()
    await schedule.check(8)
    await schedule.check(8)
    expect(schedule.nextInMs).toBe(24 * 3600_000)
  })

  it('sends nothing if nothing has happened, and nothing without the lock', async () => {
    const { world, clock, start, happen } = makeSchedules()
    await start().check(0)
    clock.now = at('04T18:00:00')
    await start().check(0)
    clock.now = at('05T18:00:00')
    await happen('05T12:00:00')
    releaseLock(world.stateDir)
    await start().check(0)
    expect(world.parked()).toEqual([])
  })

  it('is retried at the next check when it cannot be parked', async () => {
    const { world, start } = await makeDue()
    const { tmp } = world.spool
    renameSync(tmp, `${tmp}.gone`)
    const schedule = start()
    await schedule.check(0)
    renameSync(`${tmp}.gone`, tmp)
    await schedule.check(0)
    expect(world.parked()).toEqual(names)
  })

  it('is completed after a crash in the middle, and not repeated', async () => {
    const { world, deps, start, note, recorded } = await makeDue()
    const settled = Number(deps.memory.notes.latest('digest'))
    const crash = () => noteSettled(world.stateDir, settled)
    // The digest was delivered on one channel, and only that was recorded.
    await note({ type: 'delivered', channel: 'file', attempt: 1, ms: 1, answer: 'ok' })
    await start().check(0)
    expect(world.parked()).toEqual(names.slice(1))
    expect(recorded()).toHaveLength(1)
    crash()
    const park = vi.spyOn(deps.store, 'keep')
    await start().check(0)
    expect(park).not.toHaveBeenCalled()
    expect(recorded()).toHaveLength(1)
  })

  it.each([true, false])('has its text in the journal if that is configured: %s', async (text) => {
    const { world, deps, start, recorded } = await makeDue({ journal: { text } })
    deps.lastSession.env = { DISPLAY: ':7' }
    await start().check(0)
    expect(recorded().map((entry) => 'text' in entry)).toEqual([text])
    expect(parkedOf(world.spool, `${id}.file`)?.delivery.sessionEnv).toEqual({ DISPLAY: ':7' })
  })
})
