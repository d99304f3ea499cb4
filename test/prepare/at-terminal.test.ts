import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { findAtTerminal } from '../../src/prepare/at-terminal.ts'
import { makeFolder } from '../support/folder.ts'
import { deviceOf, hasPty, startPty } from '../support/pty.ts'
import { noTmux, startTmux } from '../support/tmux.ts'
import { makeWorld } from '../worker/_world.ts'

const noPty = hasPty ? '' : ' (skipped: script of util-linux not installed)'
const session_id = 's1'
const failed = { hook_event_name: 'StopFailure', session_id, error: 'overloaded' }
const ask = { hook_event_name: 'PermissionRequest', session_id, tool_name: 'Bash' }

/** What is known of a person at the terminal. */
function look(env: Record<string, string>, now = Date.now()) {
  const event = { client: 'claude', kind: 'done', env } as const
  return findAtTerminal(event, { noise: { skipAtTerminal: true } }, now)
}

const age = (path: string) => utimesSync(path, Date.now() / 1000 - 60, Date.now() / 1000 - 60)
/** Five minutes from now, however long the test has taken. */
const later = () => Date.now() + 300_000

describe.skipIf(noPty)(`a person at a terminal${noPty}`, () => {
  it('is seen by a key that was pressed less than 15 seconds ago, and unknown before and afterwards', async () => {
    const pty = await startPty({ command: 'cat' })
    const env = { HOOKBELL_TTY: pty.tty }
    // The program may read from it for the first time only now.
    const lookWithoutKey = () => {
      age(pty.path)
      return look(env)
    }
    await expect.poll(lookWithoutKey).toBeUndefined()
    pty.type('x\n')
    const typed = Date.now()
    await expect.poll(() => look(env, typed)).toBe(true)
    expect(await look(env, later())).toBeUndefined()
  })

  it('is not seen at a terminal that only a variable of the session names', async () => {
    const pty = await startPty({ command: 'cat' })
    expect(await look({ HOOKBELL_TTY: pty.tty })).toBe(true)
    expect(await look({ SSH_TTY: pty.path })).toBeUndefined()
    expect(await look({ HOOKBELL_TTY: pty.path })).toBeUndefined()
  })

  it('is unknown without a terminal, and once it is closed', async () => {
    expect(await look({})).toBeUndefined()
    // /dev/pts/99999
    expect(await look({ HOOKBELL_TTY: '101222559' })).toBeUndefined()
  })
})

describe.skipIf(noTmux)(`a person in tmux${noTmux}`, () => {
  it('is seen at the pane that the keys go to, and at no other', async () => {
    const { tmux, facts, path, pty } = await startTmux()
    await tmux('new-window', 'cat')
    const shown = (await tmux('display', '-p', '#{pane_tty}')).trim()
    for (const one of [path, shown]) age(one)
    const env = { ...facts, HOOKBELL_TTY: deviceOf(shown) }
    expect(await look(env)).toBeUndefined()
    pty.type('x\n')
    const typed = Date.now()
    await expect.poll(() => look(env, typed)).toBe(true)
    expect(await look(facts, typed)).toBeUndefined()
  })
})

describe.skipIf(noPty)(`an event while a person is at its terminal${noPty}`, () => {
  const makeAttended = async (noise: object) => {
    const pty = await startPty()
    const world = makeWorld({ noise })
    const path = `${world.folder}/told.jsonl`
    world.configure({
      channels: { desk: { type: 'file', path, noise: true } },
      routes: [{ on: ['*'], to: ['desk'] }],
      noise,
      lingerSeconds: 0,
    })
    const tell = async (event: object, client = 'claude') => {
      // As if somebody had just typed, however long the test has taken.
      utimesSync(pty.path, Date.now() / 1000, Date.now() / 1000)
      const id = world.accept(event, { client, env: { HOOKBELL_TTY: pty.tty } })
      await world.once()
      return await world.statusOf(id)
    }
    return tell
  }

  it('is delivered by default', async () => {
    const tell = await makeAttended({})
    expect(await tell(failed)).toMatchObject({ outcome: 'delivered' })
  })

  it('is suppressed with `skipAtTerminal`, unless it is a question', async () => {
    const tell = await makeAttended({ skipAtTerminal: true })
    expect(await tell(failed)).toMatchObject({
      outcome: 'suppressed',
      reason: 'somebody is at its terminal',
    })
    expect(await tell(ask)).toMatchObject({ outcome: 'delivered' })
  })

  it('is delivered if the hooks of Codex run in a server, which has the terminal of another session', async () => {
    const home = await makeFolder()
    vi.stubEnv('CODEX_HOME', home)
    onTestFinished(() => void vi.unstubAllEnvs())
    const tell = await makeAttended({ skipAtTerminal: true })
    const interrupted = { ...failed, turn_id: 't1', model: 'fake' }
    expect(await tell(interrupted, 'codex')).toMatchObject({ outcome: 'suppressed' })
    const folder = join(home, 'app-server-control')
    mkdirSync(folder)
    writeFileSync(join(folder, 'app-server-control.sock'), '')
    expect(await tell(interrupted, 'codex')).toMatchObject({ outcome: 'delivered' })
  })
})
