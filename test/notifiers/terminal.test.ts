import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { terminal } from '../../src/notifiers/terminal.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { makeFolder } from '../support/folder.ts'
import { deviceOf, hasPty, startPty } from '../support/pty.ts'
import { noTmux, startTmux } from '../support/tmux.ts'
import { failureOf, makeContext, makeMessage, testNotifier } from './_suite.ts'

const run = promisify(execFile)
const reason = hasPty ? '' : ' (skipped: script of util-linux not installed)'

const hasScreen = hasPty && existsSync('/usr/bin/screen')
const noScreen = hasScreen ? '' : ' (skipped: screen not installed)'

const now = () => new Date().toISOString()
const CALL = '\x1b]777;notify;Permission needed in shop;The agent wants to run the tests\x07'

const send = (facts: Record<string, string>, options = {}, fields = {}, context = {}) =>
  terminal.send(
    makeMessage({ at: now(), ...fields }),
    terminal.options.parse(options),
    makeContext({ sessionEnv: facts, ...context }),
  )

describe.skipIf(reason)(`notifiers: terminal${reason}`, () => {
  testNotifier({
    notifier: terminal,
    accept: async () => {
      const pty = await startPty()
      const arrived = async () => {
        await expect.poll(pty.received).toContain('\x07')
        return pty.received()
      }
      const context = { sessionEnv: { HOOKBELL_TTY: pty.tty } }
      return { options: { mode: 'osc777' }, context, at: now(), arrived }
    },
  })

  it('rings the bell of an unknown terminal', async () => {
    const pty = await startPty()
    expect(await send({ HOOKBELL_TTY: pty.tty })).toBe(`bell to ${pty.path}`)
    await expect.poll(pty.received).toBe('\x07')
  })

  it.each([
    [{ TERM_PROGRAM: 'ghostty' }, 'osc777', '\x1b]777;'],
    [{ LC_TERMINAL: 'iTerm2' }, 'osc9', '\x1b]9;'],
    [{ TERM: 'xterm-kitty' }, 'osc99', '\x1b]99;'],
  ])('uses the best sequence for a terminal with %j', async (facts, sequence, start) => {
    const pty = await startPty()
    expect(await send({ HOOKBELL_TTY: pty.tty, ...facts })).toBe(`${sequence} to ${pty.path}`)
    await expect.poll(pty.received).toContain(start)
  })

  it('finds the terminal by the number that /proc gives for a process in it', async () => {
    const pty = await startPty()
    const stat = await readFile(`/proc/${pty.pid}/stat`, 'utf8')
    // After the name: state, parent, group, session, terminal.
    const HOOKBELL_TTY = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[4] ?? ''
    expect(HOOKBELL_TTY).toMatch(/^[1-9]\d*$/)
    expect(await send({ HOOKBELL_TTY })).toBe(`bell to ${pty.path}`)
  })

  it('writes to the terminal of an SSH session', async () => {
    const pty = await startPty()
    await send({ SSH_TTY: pty.path }, { mode: 'osc777' })
    await expect.poll(pty.received).toBe(CALL)
  })

  it('prefers the terminal of the agent to the terminal of the SSH session', async () => {
    const [inner, outer] = [await startPty(), await startPty()]
    await send({ HOOKBELL_TTY: inner.tty, SSH_TTY: outer.path })
    await expect.poll(inner.received).toBe('\x07')
    expect(outer.received()).toBe('')
  })

  it('wraps the sequence for GNU screen', async () => {
    const pty = await startPty()
    const names = { STY: '123.pts-0', TERM: 'screen.xterm-256color' }
    const facts = { HOOKBELL_TTY: pty.tty, ...names, SSH_TTY: '/dev/pts/99' }
    await send(facts, { mode: 'osc9' }, { title: 'a', body: 'b' })
    await expect.poll(pty.received).toBe('\x1bP\x1b]9;a - b\x07\x1b\\')
  })

  it.each([
    ['screen in tmux', { TMUX: '/tmp/socket,1,0', STY: '1.x', TERM: 'screen' }, '\x07'],
    ['an editor in tmux', { TMUX: '/tmp/socket,1,0', TERM: 'xterm' }, CALL],
    ['an editor in screen', { STY: '1.x', TERM: 'xterm' }, CALL],
  ])('sends what gets through for a terminal of %s', async (_, facts, sent) => {
    const pty = await startPty()
    await send({ HOOKBELL_TTY: pty.tty, ...facts }, { mode: 'osc777' })
    await expect.poll(pty.received).toBe(sent)
  })

  it.each<Record<string, string>>([
    {},
    { STY: '123.pts-0', SSH_TTY: '/dev/pts/0' },
    { TMUX: '/tmp/socket,1,0', SSH_TTY: '/dev/pts/0' },
    { SSH_TTY: '/etc/passwd' },
    { SSH_TTY: '/dev/tty' },
    { SSH_TTY: '/dev/ttyS0' },
    { SSH_TTY: '/dev/pts/../ttyS0' },
    { HOOKBELL_TTY: '/dev/pts/0' },
    { HOOKBELL_TTY: '0' },
    { HOOKBELL_TTY: '4294967295' },
    // /dev/pts/99999
    { HOOKBELL_TTY: '101222559' },
  ])('is unavailable for a session with %j', async (facts) => {
    expect(await failureOf(send(facts))).toMatchObject({ verdict: 'unavailable' })
  })

  it('is unavailable once the terminal is closed', async () => {
    // The message is older than the terminal, because another test may get a new terminal with the same name.
    const before = new Date(Date.now() - 5000).toISOString()
    const pty = await startPty()
    await pty.close()
    const error = await failureOf(send({ HOOKBELL_TTY: pty.tty }, {}, { at: before }))
    expect(error).toMatchObject({ verdict: 'unavailable' })
  })

  it('does not write to a newer terminal with the same name', async () => {
    const before = new Date(Date.now() - 5000).toISOString()
    const pty = await startPty()
    const error = await failureOf(send({ HOOKBELL_TTY: pty.tty }, {}, { at: before }))
    expect(error.message).toBe(`terminal: ${pty.path} is a newer terminal than the session`)
    expect(pty.received()).toBe('')
  })

  it.runIf(process.getuid?.() === 0)('does not write to a terminal of another user', async () => {
    const pty = await startPty()
    await chown(pty.path, 12345, 5)
    const error = await failureOf(send({ HOOKBELL_TTY: pty.tty }))
    expect(error).toMatchObject({ verdict: 'unavailable' })
    expect(error.message).toContain('another user')
  })

  it('asks for a retry while Ctrl+S has stopped the terminal', async () => {
    const pty = await startPty()
    pty.type('\x13')
    await vi.waitFor(async () => {
      const failure = failureOf(send({ HOOKBELL_TTY: pty.tty }))
      // Garbage collection must not remove anything that the send needs while it only waits for a timer.
      setTimeout(collectGarbage, 100)
      expect(await failure).toMatchObject({
        verdict: 'retry',
        hint: expect.stringContaining('Ctrl+Q'),
      })
    }, 600_000)
    pty.type('\x11')
    await vi.waitFor(() => send({ HOOKBELL_TTY: pty.tty }, { mode: 'osc777' }), 600_000)
    await expect.poll(pty.received).toContain(CALL)
  })

  it('completes a message that Ctrl+S has stopped after Ctrl+Q', async () => {
    const pty = await startPty()
    pty.type('\x13')
    const facts = { HOOKBELL_TTY: pty.tty }
    await vi.waitFor(() => failureOf(send(facts)), 600_000)
    const sending = send(facts, { mode: 'osc777' })
    pty.type('\x11')
    await sending
    await expect.poll(pty.received).toContain(CALL)
  })

  it('rejects an unknown mode', () => {
    expect(terminal.options.safeParse({ mode: 'osc52' }).success).toBe(false)
  })
})

describe.skipIf(noTmux)(`notifiers: terminal in tmux${noTmux}`, () => {
  it('reaches the outer terminal, by a bell too', async () => {
    const { pty, facts, path } = await startTmux(['set -g allow-passthrough on'])
    expect(await send(facts, { mode: 'osc777' })).toBe(`osc777 to ${path}`)
    await expect.poll(pty.received).toContain(CALL)
    await expect.poll(() => pty.received().replace(CALL, '')).toContain('\x07')
  })

  it('passes each sequence unchanged to the outer terminal', async () => {
    const { pty, facts } = await startTmux(['set -g allow-passthrough on'])
    await send(facts, { mode: 'osc9' }, { title: 'one', body: 'two' })
    await expect.poll(pty.received).toContain('\x1b]9;one - two\x07')
    await send(facts, { mode: 'osc99' }, { title: 'one', body: 'two' })
    await expect.poll(pty.received).toMatch(/\x1b\]99;i=hookbell-\w+:d=1:p=body[^\x1b]*\x1b\\/)
  })

  it.each([
    ['passes nothing else on', ['set -g monitor-bell on']],
    ['passes on only what a visible window sends', ['set -g allow-passthrough on']],
  ])('rings the bell of the window if tmux %s', async (_, settings) => {
    const { pty, tmux, facts, path } = await startTmux(settings)
    await tmux('new-window', 'sleep 1000')
    expect(await send(facts, { mode: 'osc777' })).toBe(`osc777 to ${path}`)
    await expect.poll(() => tmux('display', '-p', '-t', ':0', '#{window_bell_flag}')).toBe('1\n')
    expect(pty.received()).not.toContain('777')
  })

  it('sends what iTerm2 shows if tmux was started in it', async () => {
    const { pty, facts } = await startTmux(['set -g allow-passthrough on'])
    await send({ ...facts, LC_TERMINAL: 'iTerm2' }, {}, { title: 'one', body: 'two' })
    await expect.poll(pty.received).toContain('\x1b]9;one - two\x07')
  })
})

describe.skipIf(noScreen)(`notifiers: terminal in GNU screen${noScreen}`, () => {
  it('reaches the outer terminal', async () => {
    const folder = await makeFolder()
    const env = { SCREENDIR: folder, HOME: folder }
    const file = join(folder, 'tty')
    const inner = `sh -c 'stty -echo; tty > ${file}; exec sleep 1000'`
    const pty = await startPty({ command: `screen -m -S hookbell ${inner}`, env })
    const quit = ['-S', 'hookbell', '-X', 'quit']
    onTestFinished(() => run('screen', quit, { env: { ...process.env, ...env } }).then(() => {}))
    const HOOKBELL_TTY = await vi.waitFor(async () => {
      const path = (await readFile(file, 'utf8')).trim()
      expect(path).toMatch(/^\/dev\//)
      return deviceOf(path)
    }, 600_000)
    const facts = { HOOKBELL_TTY, STY: '1.hookbell', TERM: 'screen', SSH_TTY: pty.path }
    await send(facts, { mode: 'osc777' })
    await expect.poll(pty.received).toContain(CALL)
    await send(facts, { mode: 'osc9' }, { title: '\u011b]52;c;eA\u0107', body: 'y'.repeat(300) })
    // The text arrives in one piece, although it was sent in several.
    await expect.poll(pty.received).toContain(`\x1b]9;e]52;c;eAc - ${'y'.repeat(100)}`)
    expect(pty.received()).not.toContain('\x1b]52')
  })
})
