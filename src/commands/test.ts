import { join } from 'node:path'
import { defineCommand } from 'citty'
import { paint, print, printJson } from '../cli/output.ts'
import { CurrentConfig } from '../config/current.ts'
import { configPath } from '../config/load.ts'
import { configDir, stateDir } from '../config/paths.ts'
import { HookbellError } from '../errors.ts'
import { sessionEnv } from '../hook/session-env.ts'
import type { ChannelStatus } from '../journal/history.ts'
import { scrubEnvironment } from '../worker/isolate.ts'
import { deliverTo } from '../worker/run.ts'
import { readHistory } from './_history.ts'

const NOT_RECORDED =
  'The message may have been sent all the same. Check the disk of the state folder'
const TRIED_AGAIN = 'It is tried again with the next event, or now with: hookbell worker --once'

export const testCommand = defineCommand({
  args: {
    channel: { type: 'positional', required: true, description: 'Name of a channel' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args: { channel, json } }) {
    checkChannel(channel)
    const event = {
      hook_event_name: 'Notification',
      notification_type: 'idle_prompt',
      cwd: process.cwd(),
      message: `This is a test of the channel "${channel}". If you can read it, it works.`,
    }
    scrubEnvironment(process.env)
    const header = { client: 'hookbell', env: sessionEnv(process.env) }
    const body = Buffer.from(JSON.stringify(event))
    const folders = { stateDir: stateDir(), configDir: configDir() }
    const { id, faults } = await deliverTo(channel, header, body, folders)
    if (faults.length > 0)
      throw new HookbellError('E_FAILED', faults.join('; '), { hint: NOT_RECORDED })
    const account = await answerOf(id, channel)
    if (json) printJson({ id, channel, ...account })
    else if (account.state === 'delivered')
      print(`${paint('green', 'ok')} ${channel}: ${account.detail}`)
    if (account.state === 'delivered') return 0
    if (json) return 1
    throw new HookbellError('E_UNAVAILABLE', `${channel}: ${account.state}: ${account.detail}`, {
      hint: hintFor(account.state, channel, id),
    })
  },
})

function hintFor(state: ChannelStatus['state'], channel: string, id: string): string {
  if (state === 'unavailable')
    return `Set up a channel of another type in ${configPath(configDir())}`
  if (state === 'exhausted') return `When that is put right: hookbell dead retry ${id}`
  const { unusable } = new CurrentConfig(configDir(), stateDir()).get()
  if (!unusable[channel]) return TRIED_AGAIN
  return `Put it into ${join(configDir(), 'secrets.env')}. ${TRIED_AGAIN}`
}

function checkChannel(name: string) {
  const { config, unusable, problem } = new CurrentConfig(configDir(), stateDir()).get()
  if (problem) throw problem
  const known = [...Object.keys(config.channels), ...Object.keys(unusable)]
  if (known.includes(name)) return
  throw new HookbellError('E_USAGE', `test: no channel "${name}"`, {
    hint: `Channels: ${known.join(', ')}`,
  })
}

async function answerOf(id: string, channel: string): Promise<ChannelStatus> {
  const event = (await readHistory(stateDir())).find((one) => one.id === id)
  const status = event?.channels[channel]
  if (status) return status
  throw new HookbellError('E_UNAVAILABLE', `${channel}: no answer yet`, {
    hint: `See later: hookbell log ${id}`,
  })
}
