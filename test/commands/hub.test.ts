import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Home, makeHome, root } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'

const stop = { hook_event_name: 'Stop', session_id: 's1', cwd: '/srv/api-server' }

const machineConfig = (url: string) => ({
  channels: {},
  hub: { url, channels: ['team'] },
  routes: [{ on: ['*'], to: ['team'] }],
  noise: { minSeconds: 0 },
})

const hubConfig = (url: string, to: string) => ({
  hub: { url },
  channels: { team: { type: 'webhook', url: to } },
})

/** Starts `hookbell hub` in its own process and waits until it is ready. Killed at the end of the test. */
async function startHub({ env }: Home) {
  const child = spawn(process.execPath, [join(root, 'bin/hookbell'), 'hub'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  await expect.poll(() => output).toContain('"ready"')
  return { child, output: () => output }
}

describe('commands: hub', () => {
  it('prints the minimal access rights for Redis', async () => {
    const { stdout } = await (await makeHome({})).run('hub', 'acl')
    expect(stdout).toContain(
      'user machine on >MACHINE_PASSWORD resetchannels -@all +rpush %W~hb:in',
    )
  })

  it('reports a configuration without a hub', async () => {
    const { stderr, exitCode } = await (await makeHome({})).run('hub')
    expect(stderr).toContain('hub: config.json has no "hub"')
    expect(exitCode).toBe(78)
  })

  it('names the secret that is not set, and the command that sets it', async () => {
    const hub = { url: 'redis://hub@127.0.0.1:1', password: '${HUB_PASSWORD}' }
    const home = await makeHome({ hub: { ...hub, channels: ['team'] } })
    const set = 'Set it: hookbell secrets set HUB_PASSWORD'
    const words = (text: string) => text.replace(/node \S+hookbell/g, 'hookbell')
    for (const command of [['hub'], ['hub', 'status']])
      expect(words((await home.run(...command)).stderr)).toContain(
        `x hub: \${HUB_PASSWORD} not set\n  ${set}`,
      )
    const status = words((await home.run('status')).stdout)
    expect(status).toContain(`x hub: \${HUB_PASSWORD} not set. ${set}`)
    const { checks } = JSON.parse((await home.run('doctor', '--json')).stdout)
    const seen = '${HUB_PASSWORD} not set'
    const advice = 'hookbell secrets set HUB_PASSWORD'
    expect(checks).toContainEqual({ id: 'hub.reach', status: 'broken', seen, do: advice })
  })

  it('names the missing secret of the hub before that of a channel, and what uses it', async () => {
    const hub = { url: 'redis://hub@127.0.0.1:1', password: '${HUB_PASSWORD}' }
    const team = { type: 'slack', url: '${SLACK_WEBHOOK_URL}' }
    const home = await makeHome({ hub, channels: { team } })
    expect((await home.run('hub')).stderr).toMatch(
      /^x hub: \$\{HUB_PASSWORD\} not set\n {2}Set it: .*hookbell secrets set HUB_PASSWORD\n?$/,
    )
    const set = await home.runWith('secret', 'secrets', 'set', 'HUB_PASSWORD')
    expect(set.stdout).not.toContain('No channel refers')
    expect((await home.run('secrets')).stdout).toMatch(/^HUB_PASSWORD +secrets\.env +for the hub$/m)
    expect((await home.run('hub')).stderr).toMatch(
      /^x hub: channel team: \$\{SLACK_WEBHOOK_URL\} not set\n {2}Set it: .*set SLACK_WEBHOOK_URL\n?$/,
    )
  })

  it('is reported by doctor if it cannot be reached, but not with --offline', async () => {
    const home = await makeHome(machineConfig('redis://127.0.0.1:1'))
    const { stdout } = await home.run('doctor')
    expect(stdout).toMatch(/broken +hub\.reach: nobody listens there\n +Check the network/)
    expect((await home.run('doctor', '--offline')).stdout).not.toContain('hub.reach')
  })

  it('reports the line and column of an invalid hub setting', async () => {
    const home = await makeHome({ hub: { url: 'https://x', channels: ['team'] } })
    const { stderr } = await home.run('hub')
    expect(stderr).toMatch(/config\.json:1:\d+: hub\.url: must be such as rediss/)
  })

  it('rejects a hub channel with the name of a local channel', async () => {
    const { hub } = machineConfig('redis://127.0.0.1:1')
    const home = await makeHome({ hub, channels: { team: { type: 'desktop' } } })
    const { stderr } = await home.run('config', 'check')
    expect(stderr).toContain('"team" is a channel of this machine already')
  })
})

describe.skipIf(!hasRedis)('commands: hub, with Redis', () => {
  it('delivers an event from a machine through the hub to its destination', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    const machine = await makeHome(machineConfig(redis.url()))
    const box = await makeHome(hubConfig(redis.url(), receiver.url))
    machine.accept(stop)
    expect(await machine.run('drain', '--timeout', '1h')).toMatchObject({
      exitCode: 0,
      stdout: 'Nothing is left',
    })
    expect((await machine.run('status')).stdout).toMatch(/hub +reachable/)
    expect(JSON.parse((await box.run('hub', 'status', '--json')).stdout)).toMatchObject({
      // One entry is the message, the other says that the session no longer waits.
      inbox: 2,
    })
    await startHub(box)
    await expect.poll(() => receiver.received.length).toBe(1)
    expect(JSON.parse(receiver.received[0]?.body ?? '{}')).toMatchObject({ data: { kind: 'done' } })
  })

  it('says that a command for the hub was run on a machine', async () => {
    const users = ['user default on nopass ~* +@all', 'user machine on >x -@all +rpush %W~hb:in']
    const redis = await startRedis({ users })
    const url = redis.url().replace('redis://', 'redis://machine@')
    const machine = await makeHome({ hub: { url, password: 'x', channels: ['team'] } })
    expect((await machine.run('hub', 'status')).stderr).toContain(
      'A machine may only hand messages over: run this on the hub',
    )
  })

  it('drain reports the remaining events while the hub cannot be reached', async () => {
    const redis = await startRedis()
    const machine = await makeHome(machineConfig(redis.url()))
    await redis.stop()
    machine.accept(stop)
    const drained = await machine.run('drain', '--timeout', '1s')
    expect(drained).toMatchObject({ exitCode: 1 })
    expect(drained.stdout).toContain('1 event is left')
    expect((await machine.run('status')).stdout).toContain('hub: nobody listens there')
    await redis.start()
    expect(await machine.run('drain', '--timeout', '1h')).toMatchObject({ exitCode: 0 })
    const lines = (await redis.ask('LRANGE', 'hb:in', '0', '-1')) as string[]
    // A drain that timed out may leave a duplicate; it has the same id, and the hub delivers it once.
    const ids = lines.flatMap((line) => JSON.parse(line).id ?? [])
    expect(new Set(ids).size).toBe(1)
  })

  it('delivers after a restart the message that was in progress when the hub was killed', async () => {
    const redis = await startRedis()
    const receiver = await startReceiver({ script: ['blackhole', 200] })
    const machine = await makeHome(machineConfig(redis.url()))
    const box = await makeHome(hubConfig(redis.url(), receiver.url))
    machine.accept(stop)
    await machine.run('drain', '--timeout', '1h')
    const { child: first } = await startHub(box)
    await expect.poll(() => receiver.received.length).toBe(1)
    first.kill('SIGKILL')
    await once(first, 'exit')
    await startHub(box)
    await expect.poll(() => receiver.received.length).toBe(2)
  })

  it('lists a rejected message as dead and retries it', async () => {
    const redis = await startRedis()
    const receiver = await startReceiver({ script: [400, 200] })
    const machine = await makeHome(machineConfig(redis.url()))
    const box = await makeHome(hubConfig(redis.url(), receiver.url))
    machine.accept(stop)
    await machine.run('drain', '--timeout', '1h')
    await startHub(box)
    const dead = async () => JSON.parse((await box.run('hub', 'dead', '--json')).stdout)
    await expect.poll(dead).toHaveLength(1)
    expect((await box.run('hub', 'dead')).stdout).toContain('400')
    const retried = await box.run('hub', 'dead', 'retry', '--all', '--json')
    expect(JSON.parse(retried.stdout)).toEqual({ retried: 1 })
    await expect.poll(() => receiver.received.length).toBe(2)
    await expect.poll(dead).toEqual([])
  })

  it('retries a message at once after `hub flush` or a new URL, despite Retry-After', async () => {
    const redis = await startRedis()
    const hour = { status: 503, headers: { 'retry-after': '3600' } }
    const receiver = await startReceiver({ script: [hour, hour, 200] })
    const machine = await makeHome(machineConfig(redis.url()))
    const box = await makeHome(hubConfig(redis.url(), receiver.url))
    machine.accept(stop)
    await machine.run('drain', '--timeout', '1h')
    const hub = await startHub(box)
    await expect.poll(hub.output).toContain('"attempt":1')
    expect(JSON.parse((await box.run('hub', 'flush', '--json')).stdout)).toEqual({ waiting: 1 })
    expect((await box.run('hub', 'flush')).stdout).toContain('1 message waiting; tried again')
    await expect.poll(hub.output).toContain('"attempt":2')
    await box.writeConfig(JSON.stringify(hubConfig(redis.url(), `${receiver.url}/new`)))
    await expect.poll(hub.output).toContain('"delivered"')
    expect(receiver.received.map(({ path }) => path)).toEqual(['/', '/', '/new'])
  })

  it('traces a message from the machine to the hub and lists the waiting session', async () => {
    const redis = await startRedis()
    const receiver = await startReceiver()
    const machine = await makeHome(machineConfig(redis.url()))
    const box = await makeHome(hubConfig(redis.url(), receiver.url))
    machine.accept({ ...stop, hook_event_name: 'PermissionRequest', tool_name: 'Bash' })
    await machine.run('drain', '--timeout', '1h')
    const { stdout } = await machine.run('why')
    expect(stdout).toMatch(/team +.* handed over to the hub as [0-9a-f]{32}\.team\n/)
    const [, id = ''] = /run on the hub: hookbell hub why (\S+)/.exec(stdout) ?? []
    expect((await box.run('hub', 'why', id)).stdout).toContain('no hub has taken it in yet')
    await startHub(box)
    await expect.poll(() => receiver.received.length).toBe(1)
    const why = async () => (await box.run('hub', 'why', id)).stdout
    await expect.poll(why).toContain('delivered: ok')
    expect((await box.run('hub', 'sessions')).stdout).toMatch(/^\d+ (s|min) .*permission/)
    expect((await box.run('hub', 'status')).stdout).toMatch(/team +0 waiting .*1 in the last hour/)
  })

  it('status shows the backlog of an unreachable hub and the time of the last handover', async () => {
    const redis = await startRedis()
    const machine = await makeHome(machineConfig(redis.url()))
    const status = async () => JSON.parse((await machine.run('status', '--json')).stdout).hub
    expect(await status()).toEqual({ reach: 'reachable', waiting: 0, lastHandedOver: null })
    machine.accept(stop)
    await machine.run('drain', '--timeout', '1h')
    await redis.stop()
    for (const session_id of ['s2', 's3']) machine.accept({ ...stop, session_id })
    await machine.run('drain', '--timeout', '1s')
    const down = await status()
    expect(down).toMatchObject({ reach: 'nobody listens there', waiting: 2 })
    expect(down.lastHandedOver).toBeGreaterThan(0)
    expect((await machine.run('status')).stdout).toMatch(
      /hub +nobody listens there; 2 waiting; last handed over just now/,
    )
  })

  it('reloads a changed configuration and keeps the old one when the new one is invalid', async () => {
    const [redis, first, second] = [
      await startRedis(),
      await startReceiver(),
      await startReceiver(),
    ]
    const machine = await makeHome(machineConfig(redis.url()))
    const box = await makeHome(hubConfig(redis.url(), first.url))
    const { output } = await startHub(box)
    await box.writeConfig(JSON.stringify(hubConfig(redis.url(), second.url)))
    await expect.poll(output).toContain('"reloaded"')
    machine.accept(stop)
    await machine.run('drain', '--timeout', '1h')
    await expect.poll(() => second.received.length).toBe(1)
    await box.writeConfig('{ "hub": { "url": "https://wrong" } }')
    await expect.poll(output).toContain('the configuration before is used')
    machine.accept({ ...stop, session_id: 's2' })
    await machine.run('drain', '--timeout', '1h')
    await expect.poll(() => second.received.length).toBe(2)
    expect(first.received).toEqual([])
  })
})
