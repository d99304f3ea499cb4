import { chown, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { desktop } from '../../src/notifiers/desktop.ts'
import { makeFolder } from '../support/folder.ts'
import { failureOf, makeContext, makeMessage } from './_suite.ts'

describe.runIf(process.platform === 'linux')('notifiers: desktop: without a desktop', () => {
  const send = (sessionEnv: Record<string, string>, signal = new AbortController().signal) =>
    desktop.send(makeMessage(), desktop.options.parse({}), makeContext({ sessionEnv, signal }))

  it('is unavailable without a bus address', async () => {
    const error = await failureOf(send({ DISPLAY: ':0' }))
    expect(error).toMatchObject({ verdict: 'unavailable', hint: expect.stringContaining('SSH') })
  })

  it.each(['unix:abstract=/nowhere', 'unix:path=/nowhere/bus'])(
    'is unavailable if nothing listens on the bus: %s',
    async (address) => {
      const error = await failureOf(send({ DBUS_SESSION_BUS_ADDRESS: address }))
      expect(error.verdict).toBe('unavailable')
    },
  )

  it('is unavailable without notify-send', async () => {
    vi.stubEnv('PATH', await makeFolder())
    onTestFinished(() => void vi.unstubAllEnvs())
    const error = await failureOf(send({ DBUS_SESSION_BUS_ADDRESS: 'unix:abstract=/nowhere' }))
    expect(error).toMatchObject({
      verdict: 'unavailable',
      hint: expect.stringContaining('libnotify'),
    })
  })

  it('sends nothing to a bus on another machine', async () => {
    const error = await failureOf(send({ DBUS_SESSION_BUS_ADDRESS: 'tcp:host=127.0.0.1,port=9' }))
    expect(error.message).toContain('no D-Bus session bus')
  })

  it.skipIf(process.getuid?.() !== 0).each<[string, (path: string) => Record<string, string>]>([
    ['in the runtime folder', (path) => ({ XDG_RUNTIME_DIR: dirname(path) })],
    ['that a variable names', (path) => ({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` })],
    [
      'whose name is escaped',
      (path) => ({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${path.replace('bus', '%62us')},guid=0` }),
    ],
  ])('sends nothing to a socket of another user %s', async (_, envFor) => {
    const path = join(await makeFolder(), 'bus')
    let connections = 0
    const server = createServer((socket) => {
      connections += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(path, resolve))
    onTestFinished(() => void server.close())
    await chown(path, 54_321, 54_321)
    await failureOf(send(envFor(path)))
    expect(connections).toBe(0)
    await chown(path, 0, 0)
    await failureOf(send(envFor(path)))
    expect(connections).toBeGreaterThan(0)
  })

  it('kills a program that ignores SIGTERM at its abort signal', async () => {
    const { folder, started } = await makeStubbornProgram()
    vi.stubEnv('PATH', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    const controller = new AbortController()
    const env = { DBUS_SESSION_BUS_ADDRESS: 'unix:abstract=/nowhere' }
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
