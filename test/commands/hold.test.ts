import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { prepareSpool, spoolIn } from '../../src/spool/layout.ts'
import { lockHolder } from '../../src/spool/lock/lock.ts'
import { makeDelivery } from '../support/delivery.ts'
import { makeHome, root } from '../support/home.ts'
import { listParked, park, removeParked } from '../support/parked.ts'
import { type Step, startReceiver } from '../support/receiver.ts'
import { runAlone } from '../support/run-command.ts'

async function makeFileHome() {
  const home = await makeHome()
  const path = join(home.home, 'out.jsonl')
  const channels = { file: { type: 'file', path } }
  const config = { channels, routes: [{ on: ['*'], to: ['file'] }], lingerSeconds: 0 }
  await home.writeConfig(JSON.stringify(config))
  return home
}

describe('cli: hold and resume', () => {
  it('hold keeps events in the spool until resume sends them', async () => {
    const home = await makeFileHome()
    expect((await home.run('hold')).stdout).toContain('hookbell resume')
    home.accept({ hook_event_name: 'Stop' })
    await home.run('worker', '--once')
    await home.run('worker')
    expect(readdirSync(join(home.state, 'spool/new'))).toHaveLength(1)
    const { stdout: status } = await home.run('status')
    expect(status).toMatch(/^on hold +nothing is sent until: hookbell resume$/m)
    expect(status).toMatch(/^waiting +the oldest came just now$/m)
    expect((await home.run('resume')).stdout).toBe('No longer on hold; 1 handled')
    expect(home.read('out.jsonl')).toContain('"event":"Stop"')
    expect((await home.run('resume')).stdout).toBe('Nothing was on hold')
  })
})

/** A home that sends to a receiver; a failed delivery waits for an hour unless a person asks. */
async function makeTeamHome(script: Step[]) {
  const { url, received } = await startReceiver({ script })
  const home = await makeHome()
  const channels = { team: { type: 'slack', url: `${url}/services/x` } }
  const retry = { firstDelaySeconds: 3600, maxDelaySeconds: 3600 }
  const routes = [{ on: ['*'], to: ['team'] }]
  await home.writeConfig(JSON.stringify({ channels, routes, retry, lingerSeconds: 0 }))
  const accept = (message: string) =>
    home.accept({ hook_event_name: 'Notification', message, session_id: message })
  const startWorker = async () => {
    const worker = execa(process.execPath, [join(root, 'bin/hookbell'), 'worker'], {
      ...{ env: home.env, extendEnv: false, reject: false },
    })
    onTestFinished(async () => {
      worker.kill('SIGTERM')
      await worker
    })
    await expect.poll(() => existsSync(join(home.state, 'worker.lock'))).toBe(true)
  }
  /** The messages that were received, without those that failed. */
  const delivered = () =>
    received.flatMap(({ body }, at) =>
      (script[at] ?? script.at(-1)) === 200 ? (/first|second/.exec(body)?.[0] ?? body) : [],
    )
  return { home, received, accept, startWorker, delivered }
}

describe('cli: flush', () => {
  it('retries failed deliveries at once', async () => {
    const { home, received, accept } = await makeTeamHome([500, 200])
    accept('first')
    await home.run('worker', '--once')
    expect(received).toHaveLength(1)
    const delivery = makeDelivery('held', { notBefore: Date.now() + 5 * 3600_000 })
    const why = { since: Date.now(), reason: 'x', isHeld: true }
    park(spoolIn(home.state), { ...why, delivery })
    const { stdout } = await home.run('status')
    const counts = '1 delivery to be tried again, 1 delivery held back'
    expect(stdout).toMatch(new RegExp(`^waiting +${counts}, the next in \\d+ (?:s|min)\\b`, 'm'))
    removeParked(spoolIn(home.state), 'held.file')
    expect((await home.run('flush')).stdout).toBe('1 tried; see: hookbell log')
    expect(received).toHaveLength(2)
    expect((await home.run('flush')).stdout).toBe('Nothing waits for another attempt')
    park(spoolIn(home.state), { ...why, delivery })
    expect((await home.run('flush')).stdout).toMatch(
      /^Nothing waits for another attempt; 1 message is held back: see hookbell status$/m,
    )
  })

  it('sends each message once when an earlier flush has failed', async () => {
    const { home, received, accept, delivered } = await makeTeamHome([500, 500, 500, 200])
    for (const message of ['first', 'second']) {
      accept(message)
      await home.run('worker', '--once')
    }
    expect(received).toHaveLength(2)
    // One fails again, and the other is released without an attempt.
    expect((await home.run('flush')).stdout).toMatch(
      /^2 tried; see: hookbell log\n2 messages wait /,
    )
    expect(received).toHaveLength(3)
    expect((await home.run('flush')).stdout).toBe('2 tried; see: hookbell log')
    expect(delivered().sort()).toEqual(['first', 'second'])
    expect(listParked(spoolIn(home.state))).toEqual([])
  })

  it('lets resume send failed deliveries at once if used while on hold', async () => {
    const { home, received, accept } = await makeTeamHome([500, 200])
    accept('first')
    await home.run('worker', '--once')
    await home.run('hold')
    expect((await home.run('flush')).stdout).toContain('1 to be tried, but all is on hold')
    expect((await home.run('status')).stdout).toMatch(/tried again, the next now\b/m)
    expect(received).toHaveLength(1)
    await home.run('resume')
    expect(received).toHaveLength(2)
  })
})

describe('cli: a delivery that fails again while no worker runs', () => {
  const left =
    '1 message waits for its time, and no worker runs. The next event starts one, or run: hookbell worker'

  it('is mentioned by worker --once, flush and resume, which start no worker', async () => {
    const { home, accept } = await makeTeamHome([500])
    accept('first')
    const outputs = [await home.run('worker', '--once'), await home.run('flush')]
    await home.run('hold')
    outputs.push(await home.run('worker', '--once'))
    outputs.push(await home.run('resume'))
    expect(outputs.map(({ stdout }) => stdout)).toEqual([
      `1 handled; see: hookbell log\n${left}`,
      `1 tried; see: hookbell log\n${left}`,
      '0 handled',
      `No longer on hold\n${left}`,
    ])
    expect(existsSync(join(home.state, 'worker.lock'))).toBe(false)
  })

  it('is counted by worker --once, together with the events', async () => {
    const home = await makeFileHome()
    home.accept({ hook_event_name: 'Stop' })
    const why = { since: 0, reason: 'x', isHeld: false }
    park(prepareSpool(home.state), { ...why, delivery: makeDelivery('other') })
    expect((await home.run('worker', '--once')).stdout).toBe('2 handled; see: hookbell log')
    expect(home.read('out.jsonl').trimEnd().split('\n')).toHaveLength(2)
  })

  it('is not mentioned while a worker runs, because that worker retries it', async () => {
    const { home, accept, startWorker } = await makeTeamHome([500])
    accept('first')
    await startWorker()
    await expect.poll(() => listParked(spoolIn(home.state))).toHaveLength(1)
    expect((await home.run('worker', '--once')).stdout).toBe('0 handled')
  })
})

describe('cli: drain', () => {
  it('sends each message once while the receiver limits their number', async () => {
    const { home, accept, delivered } = await makeTeamHome([500, 500, 429, 200])
    for (const message of ['first', 'second']) {
      accept(message)
      await home.run('worker', '--once')
    }
    expect(await home.run('drain', '--timeout', '1h')).toMatchObject({ exitCode: 0 })
    expect(delivered().sort()).toEqual(['first', 'second'])
  })

  it('keeps the order within a session although a worker is delivering', async () => {
    const { url, received } = await startReceiver({ script: [{ delayMs: 5 }] })
    const channels = { team: { type: 'webhook', url } }
    const routes = [{ on: ['*'], to: ['team'] }]
    const home = await makeHome({ channels, routes, lingerSeconds: 0 })
    const all = Array.from({ length: 100 }, (_, index) => `message ${index}.`)
    for (const message of all) home.accept({ hook_event_name: 'Notification', message })
    const worker = runAlone(['worker'], { env: home.env, cwd: home.home })
    await expect.poll(() => received.length).toBeGreaterThan(0)
    expect(await home.run('drain', '--timeout', '1h')).toMatchObject({ exitCode: 0 })
    await worker
    const delivered = received.map(({ body }) => /message \d+\./.exec(body)?.[0])
    expect(delivered).toEqual(all)
  })

  it('leaves a worker running if one ran before, so that the rest is retried', async () => {
    const { home, accept, startWorker } = await makeTeamHome([500])
    accept('first')
    await startWorker()
    await expect.poll(() => listParked(spoolIn(home.state))).toHaveLength(1)
    expect(await home.run('drain', '--timeout', '10s')).toMatchObject({ exitCode: 1 })
    await expect.poll(() => lockHolder(home.state)).toBeDefined()
  })

  it('leaves no worker running if none ran before', async () => {
    const { home, accept } = await makeTeamHome([500])
    accept('first')
    expect(await home.run('drain', '--timeout', '1s')).toMatchObject({ exitCode: 1 })
    expect(readdirSync(home.state).filter((name) => name.startsWith('worker.'))).toEqual([])
  })
})

describe('cli: purge', () => {
  it('requires --yes, removes the waiting events and records the removal in the log', async () => {
    const home = await makeFileHome()
    const id = home.accept({ hook_event_name: 'Stop' })
    expect(await home.run('purge')).toMatchObject({ exitCode: 64 })
    expect(readdirSync(join(home.state, 'spool/new'))).toHaveLength(1)
    expect((await home.run('purge', '--yes')).stdout).toContain('1 removed')
    expect(readdirSync(join(home.state, 'spool/new'))).toEqual([])
    expect((await home.run('log', id)).stdout).toContain('purged by hand')
  })
})
