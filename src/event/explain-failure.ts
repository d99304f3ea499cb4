import { findClient } from '../clients/index.ts'
import type { AgentEvent } from './event.ts'

/** What a failed turn or an abnormal end means for a person, and what to do about it. Empty where nothing is known. */
export interface Explanation {
  means: string
  advice: string
}

const NOTHING: Explanation = { means: '', advice: '' }

/** The first that matches the client's words counts; those of a cause come before those of a status. */
const failures: readonly [RegExp, Explanation][] = [
  [
    /max_?output_?tokens|max_tokens|output token (maximum|limit)/i,
    {
      means: 'The answer was cut off: it reached the longest length that the model may write.',
      advice: 'Tell the agent to go on, in smaller steps.',
    },
  ],
  [
    /context.?(length|window)|(prompt|input) is too long|context_?limit/i,
    {
      means: 'The conversation is too long for the model.',
      advice: 'Compact it, or go on in a new session.',
    },
  ],
  [
    /billing|credit balance|insufficient (funds|credit|balance|quota)|payment|\b402\b/i,
    {
      means: 'The account has no credit left.',
      advice: 'Add credit, or go on with another account.',
    },
  ],
  [
    /authenticat|unauthorized|not logged in|log ?in|oauth|(api|access).?(key|token)|\b40[13]\b/i,
    {
      means: 'The agent is not logged in, or its key is not accepted.',
      advice: 'Log in again in its terminal, then tell it to go on.',
    },
  ],
  [
    /model.{0,40}not.?(found|exist|available|supported)|\b404\b/i,
    { means: 'The account cannot use this model.', advice: 'Choose another model.' },
  ],
  [
    /overload|server_error|internal server|unavailable|bad gateway|\b5(00|02|03|04|29)\b(?! ?m?s\b)/i,
    {
      means: 'The servers of the model are busy, or have a fault.',
      advice: 'Tell the agent to go on in some minutes.',
    },
  ],
  [
    /E(CONN\w+|NOTFOUND|TIMEDOUT|AI_AGAIN|PIPE)|network|fetch failed|timed? ?out|connection|socket/i,
    {
      means: 'The agent could not reach its model.',
      advice: 'Check the network, then tell it to go on.',
    },
  ],
  [
    /invalid_request|\b400\b/i,
    {
      means: 'The server of the model did not accept the request.',
      advice: 'Look at its terminal. A new session may help.',
    },
  ],
]

const UNSAID: Explanation = {
  means: 'The turn ended with an error, and the agent does not say which.',
  advice: 'Look at its terminal, then tell it to go on.',
}

const ends = new Map<string, string>([
  ['error', 'The agent ended because of an error.'],
  ['other', 'The agent ended without a reason: it may have crashed, or have been killed.'],
])

export function explain(event: AgentEvent): Explanation {
  const { client, kind, failure, message, reason } = event
  if (kind === 'abnormal-end') {
    const means = ends.get(reason.trim().toLowerCase()) ?? ''
    return { means, advice: 'Look at its terminal. Open the session again to go on.' }
  }
  // What a script or hookbell itself reports explains itself: it has no terminal to look at.
  if (kind !== 'failed' || !failure || !findClient(client)) return NOTHING
  if (failure.isLimit)
    return { means: '', advice: 'Until it is over, another model or account may go on.' }
  const words = `${failure.reason}\n${message}`
  const known = failures.find(([pattern]) => pattern.test(words))?.[1]
  return known ?? (isSaid(message) ? { ...UNSAID, means: '' } : UNSAID)
}

/** Words, as opposed to a code such as `unknown`. */
function isSaid(message: string): boolean {
  return /\s/.test(message.trim())
}
