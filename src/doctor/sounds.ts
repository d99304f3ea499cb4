import { setTimeout as sleep } from 'node:timers/promises'
import { HookbellError } from '../errors.ts'
import { DeliveryError } from '../notifiers/define.ts'
import { kindsBySound, startSound } from '../notifiers/desktop/sound.ts'

const LIMIT_MS = 10_000
/** So that they do not sound at once. */
const PAUSE_MS = 1500

interface Played {
  sound: string
  /** The kinds of messages that have it. */
  kinds: string[]
  /** The program that plays it. */
  by: string
}

/**
 * Plays each sound of a desktop channel. @param option `sound` of that channel
 * @throws HookbellError E_UNAVAILABLE for one that cannot be played
 */
export async function* playSounds(option: unknown): AsyncGenerator<Played> {
  let isFirst = true
  for (const [sound, kinds] of kindsBySound(option)) {
    if (!isFirst) await sleep(PAUSE_MS)
    isFirst = false
    yield {
      sound,
      kinds,
      by: await startSound(sound, AbortSignal.timeout(LIMIT_MS)).catch(explain),
    }
  }
}

function explain(error: unknown): never {
  if (!(error instanceof DeliveryError)) throw error
  throw new HookbellError('E_UNAVAILABLE', `test: ${error.message}`, { hint: error.hint })
}
