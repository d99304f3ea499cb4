import { defineCommand } from 'citty'
import { paint, print, printJson } from '../cli/output.ts'
import { CurrentConfig } from '../config/current.ts'
import { shellEnvironment } from '../config/environment.ts'
import { howToSet } from '../config/how-to-set.ts'
import { configDir, configPath, stateDir } from '../config/paths.ts'
import { unreachableChannels } from '../config/reach.ts'
import type { Config } from '../config/schema.ts'
import { refuseFoldersAtRisk } from '../config/trust.ts'
import { HookbellError, usageError } from '../errors.ts'
import { sessionEnv } from '../hook/session-env.ts'
import type { ChannelStatus } from '../journal/history.ts'
import { scrubEnvironment } from '../worker/isolate.ts'
import { deliverTo } from '../worker/run.ts'
import { withEvents } from './_events.ts'

const NOT_RECORDED =
  'The message may have been sent all the same. Check the disk of the state folder'
const TRIED_AGAIN = 'It is tried again with the next event, or now with: hookbell worker --once'

export const testCommand = defineCommand({
  args: {
    channel: { type: 'positional', required: true, description: 'Name of a channel' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args: { channel, json } }) {
    refuseFoldersAtRisk(configDir(), stateDir())
    const config = checkChannel(channel)
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
    const account = answerOf(id, channel)
    if (json) printJson({ id, channel, ...account })
    else if (account.state === 'delivered')
      print(`${paint('green', 'ok')} ${channel}: ${account.detail}${noRoute(channel, config)}`)
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
  const { unusable, unset } = new CurrentConfig(configDir(), stateDir()).get()
  if (!unusable[channel] || unset.length === 0) return TRIED_AGAIN
  return `${howToSet(unset, configDir(), shellEnvironment(process.env))}. ${TRIED_AGAIN}`
}

/** It works, but nothing but a test will ever be sent to it. */
function noRoute(channel: string, config: Config): string {
  if (!unreachableChannels(config).includes(channel)) return ''
  return `\nNo route names it: no event reaches it. See routes in ${configPath(configDir())}`
}

function checkChannel(name: string): Config {
  const current = new CurrentConfig(configDir(), stateDir())
  current.storeVariables(shellEnvironment(process.env))
  const { config, unusable, problem } = current.get()
  if (problem) throw problem
  const known = [...Object.keys(config.channels), ...Object.keys(unusable)]
  if (known.includes(name)) return config
  throw usageError(`test: no channel "${name}"`, `Channels: ${known.join(', ')}`)
}

function answerOf(id: string, channel: string): ChannelStatus {
  const [event] = withEvents([stateDir()], (events) =>
    events.inFull(events.all.filter((one) => one.id === id)),
  )
  const status = event?.channels[channel]
  if (status) return status
  throw new HookbellError('E_UNAVAILABLE', `${channel}: no answer yet`, {
    hint: `See later: hookbell log ${id}`,
  })
}
