import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { workerEnvironment } from '../../src/config/worker-env.ts'
import { listIfThere } from '../../src/fs/read.ts'
import { installFrontDoor } from '../../src/install/front-door.ts'
import { packageVersion } from '../../src/package-root.ts'
import { lockHolder, lockVersion } from '../../src/spool/lock/lock.ts'
import { requestHandover } from '../../src/spool/requests.ts'
import { holdAnswer, startReceiver } from '../support/receiver.ts'
import { exited, makeWorld, type World } from './_world.ts'

/** Does what `init` does: pins the folders, replaces the private copy, asks the running worker to hand over. */
async function install(world: World) {
  vi.stubEnv('HOOKBELL_CONFIG_DIR', world.configDir)
  vi.stubEnv('XDG_RUNTIME_DIR', join(world.folder, 'run'))
  vi.stubEnv('HOME', world.folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  await installFrontDoor({ stateDir: world.stateDir })
}

/** Gives the private copy an older version number. */
function makeOlder({ stateDir }: World) {
  const path = join(stateDir, 'runtime/package.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...manifest, version: '0.0.1' }))
}

function startInstalled(world: World) {
  const script = join(world.stateDir, 'runtime/dist/worker.js')
  const env = workerEnvironment(world.stateDir, world.env)
  const child = spawn(process.execPath, [script, '--restarted'], { env, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

function killHolder({ stateDir }: World) {
  const holder = lockHolder(stateDir)
  if (holder && holder.pid !== process.pid) process.kill(holder.pid, 'SIGKILL')
}

describe('an upgrade under load', () => {
  it('ends the older worker after its current deliveries, without losing or repeating one', async () => {
    const slow = await startReceiver({ script: [() => ({ status: 200 })] })
    const world = makeWorld({
      channels: { team: { type: 'slack', url: `${slow.url}/services/x` } },
    })
    const channels = {
      file: { type: 'file', path: world.outFile },
      team: { type: 'slack', url: `${slow.url}/services/x` },
    }
    const routes = [
      { on: ['Notification'], to: ['file'] },
      { on: ['PermissionRequest'], to: ['team'] },
    ]
    world.configure({ channels, routes, lingerSeconds: 600 })
    await install(world)
    makeOlder(world)
    const older = startInstalled(world)
    onTestFinished(() => killHolder(world))
    await expect.poll(() => lockVersion(world.stateDir)).toBe('0.0.1')
    const files: string[] = []
    const questions: string[] = []
    for (let index = 0; index < 300; index += 1) {
      files.push(world.accept({ message: `${index}` }))
      // One is sent per second, so some are queued when the older worker is asked to end.
      if (index % 75 === 0) {
        questions.push(
          world.accept({ hook_event_name: 'PermissionRequest', session_id: `${index}` }),
        )
      }
      if (index === 150) await install(world)
      await sleep(2)
    }
    expect(await exited(older)).toBe(0)
    await expect.poll(() => lockVersion(world.stateDir)).toBe(packageVersion())
    expect(lockHolder(world.stateDir)?.pid).not.toBe(older.pid)
    await expect.poll(() => world.list('new').length + world.lines().length).toBe(files.length)
    await expect.poll(() => slow.received.length).toBe(questions.length)
    const outcomes = async () => (await world.statuses()).map(({ outcome }) => outcome)
    await expect.poll(async () => new Set(await outcomes())).toEqual(new Set(['delivered']))
    expect((await outcomes()).length).toBe(files.length + questions.length)
    expect(
      world
        .lines()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(files.sort())
    expect(slow.received).toHaveLength(questions.length)
    expect(existsSync(join(world.spool.requests, 'handover'))).toBe(false)
  })
})

describe('a worker that is asked to end', () => {
  it.each([
    ['after it has given back what it had claimed', true],
    ['before a receiver that hangs has answered', false],
  ])('releases its lock %s', async (_, isGivenBack) => {
    const answer = holdAnswer()
    const { url, received } = await startReceiver({ script: [answer.step, 200] })
    const world = makeWorld({ channels: { web: { type: 'webhook', url } }, lingerSeconds: 600 })
    await install(world)
    for (let index = 0; index < 5; index += 1) world.accept({ session_id: 's' })
    const { pid } = startInstalled(world)
    onTestFinished(() => killHolder(world))
    await expect.poll(() => received.length).toBe(1)
    expect(requestHandover(world.stateDir)).toBe(true)
    if (isGivenBack) answer.give()
    while (lockHolder(world.stateDir)?.pid === pid) await sleep(5)
    const owners = readdirSync(world.spool.cur).filter((owner) => owner.includes(`${pid}`))
    // The worker removes its folder after it has released the lock.
    const claimed = owners.flatMap((owner) => listIfThere(join(world.spool.cur, owner)))
    expect(claimed).toHaveLength(isGivenBack ? 0 : 1)
  })
})

describe('a worker of the same version', () => {
  it('ends when another one is already running, and does not interrupt it', async () => {
    const world = makeWorld({ lingerSeconds: 600 })
    await install(world)
    const first = startInstalled(world)
    onTestFinished(() => killHolder(world))
    await expect.poll(() => lockHolder(world.stateDir)?.pid).toBe(first.pid)
    expect(await exited(startInstalled(world))).toBe(0)
    expect(existsSync(join(world.spool.requests, 'handover'))).toBe(false)
    expect(first.exitCode).toBeNull()
  })
})
