import { kinds } from '../../event/event.ts'
import { knownClients, knownEvents } from '../../event/schema.ts'
import { STILL_EVENT } from '../../journal/entry.ts'
import { areEndless } from '../../text/local-time.ts'
import { closest } from '../../text/suggest.ts'
import type { Config } from '../schema/schema.ts'
import { messageAt, type Place } from './position.ts'

/** Settings that are valid but probably not what was meant. The texts hold no value, which may be a secret. */
export function warningsOf(channels: unknown, place: Place): string[] {
  if (typeof channels !== 'object' || channels === null) return []
  return Object.entries(channels).flatMap(([name, channel]) =>
    textsOf(channel, ['channels', name]).flatMap(({ at, value }) => {
      const what = bareReference(channel, value) ?? wrongSlackUrl(channel, at, value)
      return what ? [messageAt(place, at, what)] : []
    }),
  )
}

/** Quiet hours that leave no minute of the week free, for some kind of event. */
export function quietHoursWarnings({ quietHours, off }: Config['noise'], place: Place): string[] {
  if (off.includes('quiet-hours')) return []
  const zones = new Set(quietHours.map(({ timeZone }) => timeZone))
  const held = kinds.filter((kind) =>
    [...zones].some((zone) =>
      areEndless(
        quietHours.filter(({ timeZone, except }) => timeZone === zone && !except.includes(kind)),
      ),
    ),
  )
  // Quiet hours never hold permission questions.
  if (!held.some((kind) => kind !== 'permission')) return []
  const what = 'they never end, and what they hold is sent after eight days'
  return [messageAt(place, ['noise', 'quietHours'], what)]
}

/** Lines of `secrets.env` that set nothing. */
export function junkWarnings(path: string, junk: readonly number[]): string[] {
  return junk.map((line) => `${path}:${line}: not NAME=value, so it sets nothing`)
}

/** Detects `$NAME`, as in a shell. Only in capitals, since a password may contain any other text. */
export function bareReference(channel: unknown, value: string): string | undefined {
  // In a command it may be meant for the program.
  if (Object(channel).type === 'command') return undefined
  const isBare = /\$[A-Z][A-Z0-9_]{2,}(?![A-Za-z0-9_}])/.test(value)
  return isBare ? HOW_TO_REFER : undefined
}

const HOW_TO_REFER = `a reference needs braces, \${NAME}; without them it is plain text`

/** Detects a URL at Slack itself that takes no messages. Other hosts may be compatible servers. */
function wrongSlackUrl(
  channel: unknown,
  at: readonly (string | number)[],
  value: string,
): string | undefined {
  if (Object(channel).type !== 'slack' || at.at(-1) !== 'url' || !URL.canParse(value))
    return undefined
  const { hostname, pathname } = new URL(value)
  if (!/(^|\.)slack(-gov)?\.com$/.test(hostname)) return undefined
  const isHook = /^hooks\.slack(-gov)?\.com$/.test(hostname)
  if (isHook && /^\/(services|workflows|triggers)\/./.test(pathname)) return undefined
  return 'not the URL of an incoming webhook, which begins with https://hooks.slack.com/services/'
}

interface Found {
  at: (string | number)[]
  value: string
}

function textsOf(value: unknown, at: (string | number)[]): Found[] {
  if (typeof value === 'string') return [{ at, value }]
  if (Array.isArray(value)) return value.flatMap((one, index) => textsOf(one, [...at, index]))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, one]) => textsOf(one, [...at, key]))
}

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
  ...['still', 'stuck', 'stalled', 'stands still'].map((word) => [word, STILL_EVENT] as const),
  ...['crash', 'crashed'].map((word) => [word, 'abnormal-end'] as const),
])

const knownWords = [...kinds, ...knownEvents, STILL_EVENT]

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

interface FoundInRoutes {
  at: (string | number)[]
  word: string
  meant: string
}

function eventsOf(route: unknown): FoundInRoutes[] {
  return foundIn(Object(route).on, ['on'], wordMeantBy)
}

function wordMeantBy(word: string): string | undefined {
  if (word === '*' || knownWords.includes(word)) return undefined
  return kindsMeant.get(word.toLowerCase()) ?? closest(word, knownWords)
}

/** Such as "Claude Code", "gemini-cli", "claud". */
function clientsOf(route: unknown): FoundInRoutes[] {
  return ['when', 'not'].flatMap((name) =>
    foundIn(Object(Object(route)[name]).client, [name, 'client'], clientMeantBy),
  )
}

function clientMeantBy(word: string): string | undefined {
  if (knownClients.includes(word)) return undefined
  const named = knownClients.find((one) => word.toLowerCase().startsWith(one))
  return named ?? closest(word, knownClients)
}

function foundIn(
  words: unknown,
  path: (string | number)[],
  meantBy: (word: string) => string | undefined,
): FoundInRoutes[] {
  if (!Array.isArray(words)) return []
  return words.flatMap((word, index) => {
    const meant = typeof word === 'string' ? meantBy(word) : undefined
    return meant === undefined ? [] : [{ at: [...path, index], word, meant }]
  })
}
