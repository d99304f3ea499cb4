import { shellEnvironment } from '../clients/shell-environment.ts'
import { CurrentConfig } from '../config/current.ts'
import { refuseFoldersAtRisk } from '../config/folders-at-risk.ts'
import { configDir, stateDir } from '../config/paths.ts'
import type { Config } from '../config/schema/schema.ts'
import { HookbellError, usageError } from '../errors.ts'
import { sessionEnv } from '../hook/session-env.ts'
import type { ChannelStatus } from '../journal/history.ts'
import { didYouMean } from '../text/suggest.ts'
import { scrubEnvironment } from '../worker/isolate.ts'
import { deliverTo } from '../worker/run.ts'
import { readEvents } from './_events.ts'
import { channelOffers } from './init/channel-offers.ts'

const NOT_RECORDED =
  'The message may have been sent all the same. Check the disk of the state folder'

/** What became of a test message. */
interface TestMessage {
  id: string
  config: Config
  status: ChannelStatus
}

/**
 * Sends one real message to a channel, through the whole path.
 * @throws HookbellError `E_USAGE` for a channel that is not configured, `E_FAILED` if the result could not be
 * recorded, `E_UNAVAILABLE` if there is no result yet
 */
export async function sendTestMessage(channel: string): Promise<TestMessage> {
  refuseFoldersAtRisk(configDir(), stateDir())
  const config = checkChannel(channel)
  const event = {
    hook_event_name: 'Notification',
    notification_type: 'idle_prompt',
    cwd: process.cwd(),
    message: `This is a test of the channel "${channel}". Messages of your agents arrive like this.`,
  }
  scrubEnvironment(process.env, stateDir())
  const own = {
    body: Buffer.from(JSON.stringify(event)),
    env: sessionEnv(process.env, process.pid),
  }
  const folders = { stateDir: stateDir(), configDir: configDir() }
  const { id, faults } = await deliverTo(channel, own, folders)
  if (faults.length > 0)
    throw new HookbellError('E_FAILED', faults.join('; '), { hint: NOT_RECORDED })
  return { id, config, status: statusOf(id, channel) }
}

function checkChannel(name: string): Config {
  const current = new CurrentConfig(configDir(), stateDir())
  current.storeVariables(shellEnvironment(process.env))
  const { config, problem } = current.get()
  if (problem) throw problem
  const known = Object.keys(config.channels)
  if (known.includes(name)) return config
  const hint = Object.hasOwn(channelOffers, name)
    ? `Channels: ${known.join(', ')}. To add it: hookbell init --channel ${name}`
    : didYouMean(name, known, 'Channels')
  throw usageError(`test: no channel "${name}"`, hint)
}

function statusOf(id: string, channel: string): ChannelStatus {
  const event = readEvents([stateDir()]).known.find((one) => one.id === id)
  const status = event?.channels[channel]
  if (status) return status
  throw new HookbellError('E_UNAVAILABLE', `${channel}: no answer yet`, {
    hint: `See later: hookbell log ${id}`,
  })
}
