import { describe, expect, it } from 'vitest'
import { isAttended } from '../../src/notifiers/_attended.ts'
import { hasPty, startPty } from '../support/pty.ts'
import { noTmux, startTmux } from '../support/tmux.ts'

const noPty = hasPty ? '' : ' (skipped: script of util-linux not installed)'
const minutes = 60_000
const ask = (facts: Record<string, string>, now = Date.now()) =>
  isAttended(facts, AbortSignal.timeout(60_000), now)
/** Five minutes from now, however long the test has taken. */
const later = () => Date.now() + 5 * minutes

describe.skipIf(noTmux)(`a terminal with tmux${noTmux}`, () => {
  /** The sequences that a terminal sends when it gets and loses the focus. */
  const [focusIn, focusOut] = ['\x1b[I', '\x1b[O']

  it('is attended shortly after a key press, but not five minutes later', async () => {
    const { facts, path, pty } = await startTmux()
    const typed = Date.now()
    pty.type('x')
    await expect.poll(() => ask(facts, typed)).toBe(true)
    expect(await ask({ ...facts, HOOKBELL_TTY: path }, typed)).toBe(true)
    expect(await ask(facts, later())).toBe(false)
  })

  it('is not attended while another window or pane of tmux is active', async () => {
    const { facts, tmux, pty } = await startTmux()
    await tmux('split-window', 'sleep 1000')
    const typed = Date.now()
    pty.type('x')
    await expect.poll(() => ask({ ...facts, TMUX_PANE: '%1' }, typed)).toBe(true)
    expect(await ask(facts, typed)).toBe(false)
    await tmux('new-window', 'sleep 1000')
    expect(await ask({ ...facts, TMUX_PANE: '%1' }, typed)).toBe(false)
    expect(await ask({ ...facts, TMUX_PANE: '%2' }, typed)).toBe(true)
  })

  it('is not attended while the window around tmux does not have the focus', async () => {
    const { facts, pty } = await startTmux(['set -g focus-events on'])
    const typed = Date.now()
    pty.type('x')
    await expect.poll(() => ask(facts, typed)).toBe(true)
    expect(await ask(facts, typed + 0.5 * minutes)).toBe(true)
    pty.type(focusOut)
    await expect.poll(() => ask(facts, typed)).toBe(false)
    pty.type(focusIn)
    await expect.poll(() => ask(facts, typed)).toBe(true)
    expect(await ask(facts, later())).toBe(false)
  })

  it('is not attended when no client is attached', async () => {
    const { facts, tmux } = await startTmux()
    await tmux('detach-client')
    await expect.poll(() => ask(facts)).toBe(false)
  })

  it('is unknown when tmux has ended, and not attended for a program with its own terminal', async () => {
    const { facts, tmux, pty } = await startTmux()
    const typed = Date.now()
    pty.type('x')
    await expect.poll(() => ask(facts, typed)).toBe(true)
    expect(await ask({ ...facts, HOOKBELL_TTY: '/dev/pts/99999' }, typed).catch(String)).not.toBe(
      true,
    )
    await tmux('kill-server')
    expect(await ask(facts)).toBeUndefined()
  })

  it('causes an error when tmux does not answer in time', async () => {
    const { facts } = await startTmux()
    await expect(isAttended(facts, AbortSignal.abort())).rejects.toThrow('did not answer in time')
  })
})

describe.skipIf(noPty)(`a terminal without tmux${noPty}`, () => {
  it('is attended shortly after a key press, and unknown afterwards', async () => {
    const pty = await startPty({ command: 'cat' })
    const facts = { HOOKBELL_TTY: pty.path }
    const typed = Date.now()
    pty.type('x\n')
    await expect.poll(() => ask(facts, typed)).toBe(true)
    expect(await ask(facts, later())).toBeUndefined()
  })

  it('is unknown if it is not set or not a terminal', async () => {
    expect(await ask({})).toBeUndefined()
    expect(await ask({ HOOKBELL_TTY: '/etc/passwd' })).toBeUndefined()
    expect(await ask({ HOOKBELL_TTY: '/dev/pts/../../etc/passwd' })).toBeUndefined()
  })
})
