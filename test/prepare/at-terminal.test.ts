import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { makeFolder } from '../support/folder.ts'
import { noTmux, startTmux } from '../support/tmux.ts'
import { makeWorld } from '../worker/_world.ts'

const session_id = 's1'
const failed = { hook_event_name: 'StopFailure', session_id, error: 'overloaded' }
const ask = { hook_event_name: 'PermissionRequest', session_id, tool_name: 'Bash' }

describe.skipIf(noTmux)(`an event while a person is at its terminal${noTmux}`, () => {
  const makeAttended = async (noise: object) => {
    const { facts, pty } = await startTmux(['set -g focus-events on'])
    const world = makeWorld({ noise })
    const path = `${world.folder}/told.jsonl`
    world.configure({
      channels: { desk: { type: 'file', path, noise: true } },
      routes: [{ on: ['*'], to: ['desk'] }],
      noise,
      lingerSeconds: 0,
    })
    const tell = async (event: object, client = 'claude') => {
      const id = world.accept(event, { client, env: facts })
      pty.type('x')
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
