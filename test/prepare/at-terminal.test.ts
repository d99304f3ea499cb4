import { describe, expect, it } from 'vitest'
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
    const tell = async (event: object) => {
      const id = world.accept(event, { env: facts })
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
})
