import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeHome, root } from '../support/home.ts'
import { hasPty, startPty } from '../support/pty.ts'
import { startReceiver } from '../support/receiver.ts'
import { shellQuote } from '../support/shell-quote.ts'

async function makeFailing(script: number[], retry: object = {}) {
  const { url, received } = await startReceiver({ script })
  const home = await makeHome({
    channels: { team: { type: 'slack', url: `${url}/services/x` } },
    routes: [{ on: ['*'], to: ['team'] }],
    lingerSeconds: 600,
    retry,
  })
  const startWorker = async () => {
    const worker = execa(process.execPath, [join(root, 'bin/hookbell'), 'worker'], {
      env: home.env,
      extendEnv: false,
      reject: false,
    })
    onTestFinished(async () => {
      worker.kill('SIGTERM')
      await worker
    })
    await expect.poll(() => existsSync(join(home.state, 'worker.lock'))).toBe(true)
    return { pid: worker.pid }
  }
  return { home, received, startWorker }
}

describe('with a running worker', () => {
  it('hookbell dead retry delivers at once and says so', async () => {
    const { home, received, startWorker } = await makeFailing([404, 200])
    home.accept({ hook_event_name: 'Stop' })
    const { pid } = await startWorker()
    await expect.poll(async () => (await home.run('dead')).stdout).toContain('404')
    expect((await home.run('status')).stdout).toMatch(new RegExp(`^worker +process ${pid}$`, 'm'))
    const { stdout } = await home.run('dead', 'retry', '--all')
    expect(stdout).toBe('1 put back; the worker that runs delivers them now')
    await expect.poll(() => received.length).toBe(2)
    await expect.poll(async () => (await home.run('dead')).stdout).toBe('Nothing is dead')
  })

  it('hookbell test says whether the next event or the running worker retries', async () => {
    const { home, startWorker } = await makeFailing([503], { firstDelaySeconds: 900 })
    const before = await home.run('test', 'team')
    expect(before.stderr).toContain('with the next event, or now with: hookbell flush')
    await startWorker()
    const { stderr } = await home.run('test', 'team')
    expect(stderr).toContain('by the worker that runs, or now with: hookbell flush')
  })

  it('hookbell flush retries at once a delivery that would wait for an hour', async () => {
    const { home, received, startWorker } = await makeFailing([500, 200], {
      firstDelaySeconds: 3600,
      maxDelaySeconds: 3600,
    })
    home.accept({ hook_event_name: 'Stop' })
    await startWorker()
    await expect.poll(async () => (await home.run('status')).stdout).toContain('tried again')
    expect((await home.run('flush')).stdout).toBe(
      '1 put forward; the worker that runs tries them now; see: hookbell log',
    )
    await expect.poll(() => received.length).toBe(2)
    await expect.poll(async () => (await home.run('status')).stdout).toContain('1 delivered')
  })

  it('hookbell flush also releases the messages that queue behind a failed one', async () => {
    const { home, received, startWorker } = await makeFailing([500, 200], {
      firstDelaySeconds: 3600,
      maxDelaySeconds: 3600,
    })
    for (const message of ['fails', 'second', 'third'])
      home.accept({ hook_event_name: 'Notification', message, session_id: message })
    await startWorker()
    await expect.poll(async () => (await home.run('status')).stdout).toContain('tried again')
    await home.run('flush')
    await expect.poll(async () => (await home.run('status')).stdout).toContain('3 delivered')
    expect(received).toHaveLength(4)
  })

  it.each(['dead retry', 'flush'])(
    'hookbell %s retries at once although the destination is paused after its failures',
    async (command) => {
      const { home, received, startWorker } = await makeFailing([503, 503, 200], {
        firstDelaySeconds: 3600,
        maxDelaySeconds: 3600,
        maxAttempts: 1,
      })
      home.accept({ hook_event_name: 'Stop' })
      await startWorker()
      await expect.poll(async () => (await home.run('dead')).stdout).toContain('503')
      home.accept({ hook_event_name: 'Notification', message: 'in line' })
      await expect.poll(async () => (await home.run('status')).stdout).toContain('1 waiting')
      const { stdout } = await home.run(
        ...command.split(' '),
        ...(command === 'flush' ? [] : ['--all']),
      )
      expect(stdout).toMatch(/^1 put .*the worker that runs/)
      await expect.poll(() => received.length).toBeGreaterThan(1)
    },
  )

  it.skipIf(!hasPty)(
    'hookbell status prints colours in a terminal, and none with NO_COLOR',
    async () => {
      const { home } = await makeFailing([200])
      await home.run('test', 'team')
      const program = [process.execPath, join(root, 'bin/hookbell'), 'status']
      const command = program.map(shellQuote).join(' ')
      const read = async (env: Record<string, string>) => {
        const pty = await startPty({ command, env: { ...(home.env as object), ...env } })
        await expect.poll(() => pty.received()).toContain('not installed')
        return pty.received()
      }
      expect(await read({})).toContain('\u001b[32mdelivered')
      expect(await read({ NO_COLOR: '1' })).not.toContain('\u001b[')
    },
  )
})

it('hookbell dead lists a question that reached nobody, and one that waits on another channel', async () => {
  const slack = async (status: number) => ({
    type: 'slack',
    url: (await startReceiver({ script: [status] })).url,
  })
  const home = await makeHome({
    channels: { team: await slack(404), oncall: await slack(503) },
    routes: [
      { on: ['permission'], to: ['team'] },
      { on: ['failed'], to: ['team', 'oncall'] },
    ],
  })
  const message = 'droid needs your permission to use Bash'
  home.accept({ hook_event_name: 'Notification', message, session_id: 's' })
  await home.run('worker', '--once')
  expect((await home.run('status', '--json')).stdout).toContain('"undelivered": 1')
  expect((await home.run('dead')).stdout).toContain('team: slack: 404')
  expect((await home.run('doctor')).stdout).toContain('spool.dead: 1 could not be delivered')
  home.accept({ hook_event_name: 'StopFailure', error: 'rate_limit', session_id: 't' }, 'claude')
  await home.run('worker', '--once')
  expect((await home.run('status', '--json')).stdout).toContain('"dead": 0')
  expect((await home.run('dead')).stdout.match(/team: slack: 404/g)).toHaveLength(2)
  // `status` must count the same two deliveries as `dead` lists.
  const all = 'x 2 dead (2 of them waiting or undelivered too): see hookbell dead'
  expect((await home.run('status')).stdout).toContain(all)
})

it('hookbell dead lists dead events although the journal is lost', async () => {
  const { url } = await startReceiver({ script: [404, 200] })
  const team = { type: 'slack', url: `${url}/services/x` }
  const home = await makeHome({ channels: { team }, routes: [{ on: ['*'], to: ['team'] }] })
  const [failed, unusable] = [home.accept({ hook_event_name: 'Stop', session_id: 's' }), 'event-1']
  await home.run('worker', '--once')
  writeFileSync(join(home.state, 'spool/dead', unusable), 'hookbell-event 1\n\n{}')
  rmSync(join(home.state, 'journal.jsonl'))
  const ids = async () => {
    const dead = JSON.parse((await home.run('dead', '--json')).stdout) as { id: string }[]
    return dead.map(({ id }) => id).sort()
  }
  expect(await ids()).toEqual([failed, unusable].sort())
  expect((await home.run('status')).stdout).toContain('x 2 dead: see hookbell dead')
  expect((await home.run('why', failed)).stdout).toMatch(/accepted +\S+ \S+\n +result +dead$/)
  expect((await home.run('doctor')).stdout).toContain('spool.dead: 2 could not be delivered')
  await home.run('dead', 'retry', failed)
  await home.run('worker', '--once')
  expect(await ids()).toEqual([unusable])
})

it('hookbell dead lists a delivery whose retry was recorded but did not happen', async () => {
  const { home } = await makeFailing([404])
  const id = home.accept({ hook_event_name: 'Stop', session_id: 's' })
  await home.run('worker', '--once')
  const retried = { at: Date.now(), id, type: 'retried' }
  appendFileSync(join(home.state, 'journal.jsonl'), `${JSON.stringify(retried)}\n`)
  expect((await home.run('dead')).stdout).toContain(id.slice(0, 8))
})
