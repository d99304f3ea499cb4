import { paint, printJson, say } from '../../cli/output.ts'
import { channelOf, optionsOf } from '../../config/channels.ts'
import { CurrentConfig } from '../../config/current.ts'
import { configDir, stateDir } from '../../config/paths.ts'
import { playSounds } from '../../doctor/sounds.ts'
import { usageError } from '../../errors.ts'
import { scrubEnvironment } from '../../worker/isolate.ts'

const HOW = 'Set its "sound" to true, "asks", or the sounds of kinds: hookbell config edit'

/** Plays the sounds of a desktop channel, and says of which kinds they are. @throws HookbellError */
export async function testSounds(channel: string, json: boolean) {
  const { config } = new CurrentConfig(configDir(), stateDir()).get()
  const found = channelOf(channel, config)
  if (found?.type !== 'desktop')
    throw usageError(`test: "${channel}" is no desktop channel`, 'Only those have sounds')
  const { sound: option } = optionsOf(found) as { sound?: unknown }
  scrubEnvironment(process.env, stateDir())
  const played: object[] = []
  for await (const one of playSounds(option)) {
    played.push(one)
    if (!json) say(`${paint('green', 'ok')} ${one.kinds.join(', ')}: ${one.sound}, by ${one.by}`)
  }
  if (played.length === 0) throw usageError(`test: ${channel} has no sound`, HOW)
  if (json) printJson(played)
}
