import { kinds } from '../../event/event.ts'
import { knownClients, knownEvents } from '../../event/schema.ts'
import { closest } from '../../text/suggest.ts'
import { messageAt, type Place } from './position.ts'

/** Words that people write for a kind. Taken literally, each would be an event that no client fires. */
const kindsMeant: ReadonlyMap<string, string> = new Map([
  ...['all', 'any', 'everything'].map((word) => [word, '*'] as const),
  ...['finished', 'finish', 'complete', 'completed', 'stopped', 'end-of-turn'].map(
    (word) => [word, 'done'] as const,
  ),
  ...['error', 'errors', 'failure', 'fail'].map((word) => [word, 'failed'] as const),
  ...['question', 'questions', 'approval', 'permissions', 'ask'].map(
    (word) => [word, 'permission'] as const,
  ),
  ...['idle', 'input', 'notification', 'wait'].map((word) => [word, 'waiting'] as const),
  ...['subagent', 'sub-agent'].map((word) => [word, 'subagent-done'] as const),
  ...['crash', 'crashed'].map((word) => [word, 'abnormal-end'] as const),
])

const knownWords = [...kinds, ...knownEvents]

/**
 * Words in routes that match nothing we know and look like something we do. Never faults: clients have new events with each
 * version, and a program may store its own.
 */
export function routeWarnings(routes: unknown, place: Place): string[] {
  if (!Array.isArray(routes)) return []
  return routes.flatMap((route, index) =>
    [...eventsOf(route), ...clientsOf(route)].map(({ at, word, meant }) => {
      const what = `no known ${at[0] === 'on' ? 'event or kind' : 'client'} is called "${word}"`
      return messageAt(place, ['routes', index, ...at], `${what}; did you mean "${meant}"?`)
    }),
  )
}

interface Found {
  at: (string | number)[]
  word: string
  meant: string
}

function eventsOf(route: unknown): Found[] {
  return foundIn(Object(route).on, ['on'], wordMeantBy)
}

function wordMeantBy(word: string): string | undefined {
  if (word === '*' || knownWords.includes(word)) return undefined
  return kindsMeant.get(word.toLowerCase()) ?? closest(word, knownWords)
}

/** Such as "Claude Code", "gemini-cli", "claud". */
function clientsOf(route: unknown): Found[] {
  return ['when', 'not'].flatMap((name) =>
    foundIn(Object(Object(route)[name]).client, [name, 'client'], clientMeantBy),
  )
}

function clientMeantBy(word: string): string | undefined {
  if (knownClients.includes(word)) return undefined
  const begun = knownClients.find((one) => word.toLowerCase().startsWith(one))
  return begun ?? closest(word, knownClients)
}

function foundIn(
  words: unknown,
  path: (string | number)[],
  meantBy: (word: string) => string | undefined,
): Found[] {
  if (!Array.isArray(words)) return []
  return words.flatMap((word, index) => {
    const meant = typeof word === 'string' ? meantBy(word) : undefined
    return meant === undefined ? [] : [{ at: [...path, index], word, meant }]
  })
}
