import { defineCommand } from 'citty'
import { exitCodeOf } from '../cli/errors.ts'
import { asTyped } from '../cli/how-to-call.ts'
import { paint, printJson, say } from '../cli/output.ts'
import { shellEnvironment } from '../clients/shell-environment.ts'
import { channelOf } from '../config/channels.ts'
import { CurrentConfig } from '../config/current.ts'
import { configDir, configPath, stateDir } from '../config/paths.ts'
import type { Config } from '../config/schema/schema.ts'
import { howToSetIn } from '../config/secrets/how-to-set.ts'
import { unreachableChannels } from '../config/unreachable-channels.ts'
import { HookbellError } from '../errors.ts'
import type { ChannelStatus } from '../journal/history.ts'
import { lockHolder } from '../spool/lock/lock.ts'
import { showPath } from '../text/clean.ts'
import { sendTestMessage } from './_test-message.ts'

export const testCommand = defineCommand({
  args: {
    channel: { type: 'positional', required: true, description: 'Name of a channel' },
    sound: {
      type: 'boolean',
      description: 'Play the sounds of a desktop channel instead, one after the other',
    },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args: { channel, sound, json = false } }) {
    if (sound) return await (await import('./test/sounds.ts')).testSounds(channel, json)
    const { id, config, status } = await sendTestMessage(channel)
    if (json) printJson({ id, channel, ...status })
    else if (status.state === 'delivered') {
      say(`${paint('green', 'ok')} ${channel}: ${status.detail}${noRoute(channel, config)}`)
      for (const text of whatIsUnset(channel)) say(`${paint('yellow', '!')} ${asTyped(text)}`)
    }
    if (status.state === 'delivered') return 0
    const what = `${channel}: ${status.state}: ${status.detail}`
    const hint = hintFor(status, channel, id)
    const error = new HookbellError('E_UNAVAILABLE', what, { hint })
    if (json) return exitCodeOf(error)
    throw error
  },
})

function hintFor({ state, detail }: ChannelStatus, channel: string, id: string): string {
  if (state === 'unavailable') {
    return `Set up another channel with: hookbell init, or in ${configPath(configDir())}`
  }
  if (state === 'exhausted') return `When that is put right: hookbell dead retry ${id}`
  const unset = whatIsUnset(channel)
  // It comes from a command or the keychain: doctor fetches it, and says what is wrong.
  const isFetched = unset.length === 0 && detail.startsWith('${')
  return [...unset, ...(isFetched ? ['See why: hookbell doctor'] : []), whoTriesAgain()].join('. ')
}

function whoTriesAgain(): string {
  const next = lockHolder(stateDir()) ? 'by the worker that runs' : 'with the next event'
  return `It is tried again ${next}, or now with: hookbell flush`
}

/** What the channel, or the local one that bypasses the hub, lacks and how to set it; [] if nothing. */
function whatIsUnset(channel: string): string[] {
  const { config, unset } = new CurrentConfig(configDir(), stateDir()).get()
  const { why, standIn: other } = channelOf(channel, config) ?? {}
  const standIn = other?.state === 'broken' ? other.why : undefined
  const reason = standIn ?? why ?? ''
  const how = howToSetIn(reason, unset, configDir(), shellEnvironment(process.env))
  if (how === undefined) return []
  return [standIn ? `${channel}: ${standIn}. ${how}` : how]
}

/** Warns that a channel works, but would receive only tests, because no route names it. */
function noRoute(channel: string, config: Config): string {
  if (!unreachableChannels(config).includes(channel)) return ''
  return `\nNo route names it: no event reaches it. See routes in ${showPath(configPath(configDir()))}`
}
