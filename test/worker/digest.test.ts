import { rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lastDue } from '../../src/text/schedule.ts'
import { makeHome } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'

const MINUTE_MS = 60_000
const stop = { hook_event_name: 'Stop', session_id: 's1' }

/** The time of day in UTC (HH:MM) that many minutes from now. */
const clock = (minutes: number) =>
  new Date(Date.now() + minutes * MINUTE_MS).toISOString().slice(11, 16)

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
  const happen = async (event: object) => {
    const id = home.accept({ ...event, cwd: home.project })
    const then = new Date(Date.now() - 10 * MINUTE_MS)
    utimesSync(join(home.state, 'spool/new', id), then, then)
    await home.run('worker', '--once')
  }
  await happen(stop)
  const settledPath = join(home.state, 'digest-settled')
  const makeDue = (at = clock(0)) => {
    const config = { ...settings, digest: { ...digest, at } }
    writeFileSync(settledPath, `${lastDue(config.digest, Date.now()) - MINUTE_MS}\n`)
    return home.writeConfig(JSON.stringify(config))
  }
  const digests = () => received.filter(({ body }) => body.includes('Digest:'))
  return { home, happen, makeDue, digests, settledPath }
}

describe('the digest', () => {
  it('is sent at its time, also in quiet hours', async () => {
    const noise = { quietHours: [{ from: '00:00', to: '24:00' }] }
    const { home, makeDue, digests } = await makeDigestHome({ noise })
    await makeDue()
    await home.run('worker', '--once')
    expect(digests()).toHaveLength(1)
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
    const { home, makeDue, digests, settledPath } = await makeDigestHome()
    const at = clock(0)
    await makeDue(at)
    await Promise.all([home.run('worker', '--once'), home.run('worker', '--once')])
    expect(digests()).toHaveLength(1)
    await makeDue(at)
    await home.run('worker', '--once')
    expect(digests()).toHaveLength(1)
    rmSync(settledPath)
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
  it.runIf(process.env.HOOKBELL_FULL === '1')(
    'keeps the worker running until it is due',
    async () => {
      const { home, digests } = await makeDigestHome({ at: clock(2) })
      home.accept({ ...stop, cwd: home.project })
      await home.run('worker')
      expect(digests()).toHaveLength(1)
    },
  )
})
