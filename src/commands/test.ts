import { defineCommand } from 'citty'
import { paint, printJson, say } from '../cli/output.ts'
import { CurrentConfig } from '../config/current.ts'
import { shellEnvironment } from '../config/environment.ts'
import { howToSet } from '../config/how-to-set.ts'
import { configDir, configPath, stateDir } from '../config/paths.ts'
import { unreachableChannels } from '../config/reach.ts'
import type { Config } from '../config/schema.ts'
import { HookbellError } from '../errors.ts'
import type { ChannelStatus } from '../journal/history.ts'
import { sendTestMessage } from './_test-message.ts'

const TRIED_AGAIN = 'It is tried again with the next event, or now with: hookbell worker --once'

export const testCommand = defineCommand({
  args: {
    channel: { type: 'positional', required: true, description: 'Name of a channel' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args: { channel, json } }) {
    const { id, config, account } = await sendTestMessage(channel)
    if (json) printJson({ id, channel, ...account })
    else if (account.state === 'delivered')
      say(`${paint('green', 'ok')} ${channel}: ${account.detail}${noRoute(channel, config)}`)
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
