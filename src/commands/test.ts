import { defineCommand } from 'citty'
import { paint, print, printJson } from '../cli/output.ts'
import { CurrentConfig } from '../config/current.ts'
import { shellEnvironment } from '../config/environment.ts'
import { howToSet } from '../config/how-to-set.ts'
import { configPath } from '../config/load.ts'
import { configDir, stateDir } from '../config/paths.ts'
import { refuseFoldersAtRisk } from '../config/trust.ts'
import { HookbellError, usageError } from '../errors.ts'
import { sessionEnv } from '../hook/session-env.ts'
import type { ChannelStatus } from '../journal/history.ts'
import { prepareSpool } from '../spool/prepare.ts'
import { acceptEvent } from '../spool/write.ts'
import { scrubEnvironment } from '../worker/isolate.ts'
import { deliverOnce } from '../worker/run.ts'
import { readHistory } from './_history.ts'

const TRIED_AGAIN = 'It is tried again with the next event, or now with: hookbell worker --once'

export const testCommand = defineCommand({
  meta: { name: 'test', description: 'Send one real message to a channel and show its answer' },
  args: {
    channel: { type: 'positional', required: true, description: 'Name of a channel' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args: { channel, json } }) {
    refuseFoldersAtRisk(configDir(), stateDir())
    checkChannel(channel)
    const event = {
      hook_event_name: 'Notification',
      notification_type: 'idle_prompt',
      cwd: process.cwd(),
      message: `This is a test of the channel "${channel}". If you can read it, it works.`,
    }
    scrubEnvironment(process.env)
    const header = { client: 'hookbell', env: sessionEnv(process.env), channel }
    prepareSpool(stateDir())
    const id = acceptEvent(stateDir(), header, Buffer.from(JSON.stringify(event)))
    const { faults } = await deliverOnce({ stateDir: stateDir(), configDir: configDir() })
    const fault = faults.find((one) => one.startsWith(id))
    if (fault) throw new HookbellError('E_FAILED', fault, { hint: TRIED_AGAIN })
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
  if (state === 'not-here') return `Set up a channel of another type in ${configPath(configDir())}`
  if (state === 'gave-up') return `When that is put right: hookbell dead retry ${id}`
  const { unusable, unset } = new CurrentConfig(configDir(), stateDir()).get()
  if (!unusable[channel] || unset.length === 0) return TRIED_AGAIN
  return `${howToSet(unset, configDir(), shellEnvironment(process.env))}. ${TRIED_AGAIN}`
}

function checkChannel(name: string) {
  const current = new CurrentConfig(configDir(), stateDir())
  current.storeVariables(shellEnvironment(process.env))
  const { config, unusable, problem } = current.get()
  if (problem) throw problem
  const known = [...Object.keys(config.channels), ...Object.keys(unusable)]
  if (known.includes(name)) return
  throw usageError(`test: no channel "${name}"`, `Channels: ${known.join(', ')}`)
}

/** A worker in the background may have been faster to claim it. */
async function answerOf(id: string, channel: string): Promise<ChannelStatus> {
  const deadline = performance.now() + 35_000
  while (performance.now() < deadline) {
    const account = (await readHistory(stateDir())).find((one) => one.id === id)?.channels[channel]
    if (account) return account
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new HookbellError('E_UNAVAILABLE', `${channel}: no answer yet`, {
    hint: `See later: hookbell log ${id}`,
  })
}
