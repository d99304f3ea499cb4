import { setTimeout as sleep } from 'node:timers/promises'
import {
  beginPairing,
  endPairing,
  openPairing,
  PAIRING_MS,
  readPairing,
} from '../../answer/remote/pairing.ts'
import { readPeople, removePeople } from '../../answer/remote/people.ts'
import { asTyped } from '../../cli/how-to-call.ts'
import { say } from '../../cli/output.ts'
import { whyNoAnswers } from '../../config/answer-channels.ts'
import { CurrentConfig } from '../../config/current.ts'
import { configDir, stateDir } from '../../config/paths.ts'
import { HookbellError, usageError } from '../../errors.ts'
import { formatDuration } from '../../text/duration.ts'
import { wakeWorkerOf } from '../_worker.ts'

const LOOK_MS = 300

/** Shows a code, and waits until somebody sends it by the channel. @throws HookbellError */
export async function pair(channel: string | undefined) {
  const state = stateDir()
  const name = answerableChannel(channel)
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const { code, at } = beginPairing(state, name, Date.now())
  wakeWorkerOf(state)
  say(
    `Within ${formatDuration(PAIRING_MS)}, write this to the bot, in the chat of the channel ${name}:\n\n  /pair ${code}\n`,
  )
  try {
    const person = await paired(state, at, stop.signal)
    say(asTyped(`Paired with ${person}. Take it back: hookbell answer unpair ${name}`))
  } finally {
    // Also after Ctrl+C: a code that is not wanted any more must pair nobody.
    endPairing(state)
  }
}

/** @throws HookbellError E_UNAVAILABLE if nobody was paired, E_INTERRUPTED after Ctrl+C */
async function paired(state: string, at: number, signal: AbortSignal): Promise<string> {
  let told = ''
  for (;;) {
    if (signal.aborted) throw new HookbellError('E_INTERRUPTED', 'answer: nobody was paired')
    const now = readPairing(state)
    if (now?.at === at && now.paired) return now.paired
    if (now?.problem && now.problem !== told) say(`Not yet: ${now.problem}`)
    told = now?.problem ?? told
    if (now?.at !== at || !openPairing(state, Date.now())) {
      const why =
        now && now.at === at && now.wrong > 0 ? `${now.wrong} wrong codes came` : 'no code came'
      throw new HookbellError('E_UNAVAILABLE', `answer: nobody was paired: ${why}`, {
        hint: told || 'Try again, in the chat that the channel names',
      })
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {})
  }
}

export function unpair(channel: string | undefined, person: string | undefined) {
  const state = stateDir()
  if (channel === undefined) {
    const known = readPeople(state).map((one) => `${one.channel} ${one.person}`)
    throw usageError(
      'answer: unpair which channel?',
      known.length > 0 ? `Paired: ${known.join(', ')}` : 'Nobody is paired',
    )
  }
  const count = removePeople(state, channel, person)
  if (count === 0) throw usageError(`answer: nobody is paired for "${channel}"`)
  say(`${channel}: ${count === 1 ? 'one person' : `${count} people`} may answer no more`)
}

/** @throws HookbellError E_USAGE if nothing can be answered on the channel */
function answerableChannel(channel = ''): string {
  const { config } = new CurrentConfig(configDir(), stateDir()).get()
  const why = whyNoAnswers(channel, config)
  if (why) throw usageError(`answer: ${why.what}`, why.hint)
  return channel
}
