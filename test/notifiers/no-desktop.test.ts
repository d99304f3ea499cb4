import { spawnSync } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { desktop } from '../../src/notifiers/desktop.ts'
import { makeFolder } from '../support/folder.ts'
import { abstractName, listenAs, strangers } from '../support/stranger.ts'
import { failureOf, makeContext, makeMessage } from './_suite.ts'

describe.runIf(process.platform === 'linux')('notifiers: desktop: without a desktop', () => {
  const send = (sessionEnv: Record<string, string>, signal = new AbortController().signal) =>
    desktop.send(makeMessage(), desktop.options.parse({}), makeContext({ sessionEnv, signal }))

  it('is unavailable without a bus address', async () => {
    const error = await failureOf(send({ DISPLAY: ':0' }))
    expect(error).toMatchObject({ verdict: 'unavailable', hint: expect.stringContaining('SSH') })
  })

  it('is unavailable if nothing listens on the bus', async () => {
    const error = await failureOf(send({ DBUS_SESSION_BUS_ADDRESS: await deadBus() }))
    expect(error).toMatchObject({
      verdict: 'unavailable',
      message: expect.stringContaining('Could not connect'),
    })
  })

  it('is unavailable without notify-send', async () => {
    vi.stubEnv('PATH', await makeFolder())
    onTestFinished(() => void vi.unstubAllEnvs())
    const error = await failureOf(send({ DBUS_SESSION_BUS_ADDRESS: await deadBus() }))
    expect(error).toMatchObject({
      verdict: 'unavailable',
      hint: expect.stringContaining('libnotify'),
    })
  })

  it.each(strangers)('sends nothing to a bus of %s', async (_, words) => {
    const folder = await makeFolder()
    await chmod(folder, 0o1777)
    const path = join(folder, 'bus')
    const name = abstractName()
    const reached = [await listenAs(words, path), await listenAs(words, `@${name}`)]
    const envs: Record<string, string>[] = [
      { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` },
      { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path.replace('bus', '%62us')},guid=0` },
      { DBUS_SESSION_BUS_ADDRESS: `unix:abstract=${name}` },
      { DBUS_SESSION_BUS_ADDRESS: `unix:path=/none;unix:abstract=${name},guid=0` },
      { XDG_RUNTIME_DIR: folder },
    ]
    for (const env of envs)
      expect(await failureOf(send(env))).toMatchObject({ verdict: 'unavailable' })
    expect(reached.map((count) => count())).toEqual([0, 0])
  })

  it('kills a program that ignores SIGTERM at its abort signal', async () => {
    const { folder, started } = await makeStubbornProgram()
    vi.stubEnv('PATH', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    const controller = new AbortController()
    const env = { DBUS_SESSION_BUS_ADDRESS: await deadBus() }
    const sending = failureOf(send(env, controller.signal))
    await expect.poll(() => readFile(started, 'utf8').catch(() => '')).toMatch(/^\d+$/)
    const pid = Number(await readFile(started, 'utf8'))
    controller.abort()
    expect(await sending).toMatchObject({ verdict: 'retry' })
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  it('stops at its abort signal when the bus does not answer', async () => {
    const path = join(await makeFolder(), 'bus')
    const connections: unknown[] = []
    const server = createServer((socket) => {
      connections.push(socket)
      socket
        .on('error', () => {})
        .on('close', () => connections.pop())
        .resume()
    })
    await new Promise<void>((resolve) => server.listen(path, resolve))
    onTestFinished(() => void server.close())
    const controller = new AbortController()
    const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` }
    const sending = failureOf(send(env, controller.signal))
    await expect.poll(() => connections).toHaveLength(1)
    controller.abort()
    expect(await sending).toMatchObject({ verdict: 'retry' })
    // The child process has really ended.
    await expect.poll(() => connections).toHaveLength(0)
  })
})

/** The address of a socket on which nobody listens any more. */
async function deadBus(): Promise<string> {
  const path = join(await makeFolder(), 'bus')
  const script =
    "require('node:net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))"
  spawnSync(process.execPath, ['-e', script, path])
  return `unix:path=${path}`
}

/** Makes a notify-send that ignores SIGTERM and never ends. */
async function makeStubbornProgram() {
  const folder = await makeFolder()
  const started = join(folder, 'started')
  const lines = [
    `#!${process.execPath}`,
    'process.on("SIGTERM", () => {})',
    `require("node:fs").writeFileSync(${JSON.stringify(started)}, String(process.pid))`,
    'setInterval(() => {}, 1000)',
  ]
  await writeFile(join(folder, 'notify-send'), lines.join('\n'), { mode: 0o755 })
  return { folder, started }
}
