import { describe, expect, it } from 'vitest'
import { isAttended } from '../../src/notifiers/_attended.ts'
import { hasPty, startPty } from '../support/pty.ts'
import { noTmux, startTmux } from '../support/tmux.ts'

const noPty = hasPty ? '' : ' (skipped: script of util-linux not installed)'
const minutes = 60_000
const ask = (facts: Record<string, string>, now = Date.now()) =>
  isAttended(facts, AbortSignal.timeout(60_000), now)
/** Whatever time the test takes by now. */
const later = () => Date.now() + 5 * minutes

describe.skipIf(noTmux)(`a terminal with tmux${noTmux}`, () => {
  /** What a terminal says when it gets the focus, and when it loses it. */
  const [focusIn, focusOut] = ['\x1b[I', '\x1b[O']

  it('is attended by whoever typed a moment ago, and not for long', async () => {
    const { facts, path, pty } = await startTmux()
    const typed = Date.now()
    pty.type('x')
    await expect.poll(() => ask(facts, typed)).toBe(true)
    expect(await ask({ ...facts, HOOKBELL_TTY: path }, typed)).toBe(true)
    expect(await ask(facts, later())).toBe(false)
  })

  it('is not where another window or pane of tmux is shown', async () => {
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

  it('is not where the window around tmux has lost the focus', async () => {
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

  it('is not where nobody is attached', async () => {
    const { facts, tmux } = await startTmux()
    await tmux('detach-client')
    await expect.poll(() => ask(facts)).toBe(false)
  })

  it('is unknown where tmux is gone, and for a program with a terminal of its own', async () => {
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

  it('is unknown where tmux does not answer in time', async () => {
    const { facts } = await startTmux()
    await expect(isAttended(facts, AbortSignal.abort())).rejects.toThrow('did not answer in time')
  })
})

describe.skipIf(noPty)(`a terminal without tmux${noPty}`, () => {
  it('is attended by whoever types in it, and unknown afterwards', async () => {
    const pty = await startPty({ command: 'cat' })
    const facts = { HOOKBELL_TTY: pty.path }
    const typed = Date.now()
    pty.type('x\n')
    await expect.poll(() => ask(facts, typed)).toBe(true)
    expect(await ask(facts, later())).toBeUndefined()
  })

  it('is unknown where there is none, or where it is no terminal', async () => {
    expect(await ask({})).toBeUndefined()
    expect(await ask({ HOOKBELL_TTY: '/etc/passwd' })).toBeUndefined()
    expect(await ask({ HOOKBELL_TTY: '/dev/pts/../../etc/passwd' })).toBeUndefined()
  })
})
