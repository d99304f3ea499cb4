import { basename, dirname } from 'node:path'
import picomatch from 'picomatch'
import type { Conditions } from '../config/schema/route.ts'
import type { EnrichedEvent } from '../context/enrich.ts'
import { partsOfName } from '../context/work-tree-name.ts'
import { dropOldest } from '../drop-oldest.ts'
import { expandHome } from '../fs/home.ts'
import { isWithin } from '../text/local-time.ts'
import { matchesPattern } from './pattern.ts'

/** What a condition may depend on, besides the event. */
export interface RouteDeps {
  host: string
  /** Unix ms. */
  now: number
}

/** The result of one condition: whether it holds, and the condition in words. */
export interface Held {
  holds: boolean
  because: string
}

/** Longer texts are compared at their beginning and their end, where agents say what matters. */
const MAX_TEXT = 4000

/** Evaluates each given condition, in the order of the documentation. */
export function conditionsOf(
  { from, to, weekday, timeZone, ...given }: Conditions,
  event: EnrichedEvent,
  { host, now }: RouteDeps,
): Held[] {
  const { project, branch, client, reason, message, minSeconds, asks, permissionMode } = given
  const list: (Held | undefined)[] = [
    project && held('project', project, matchesAny(project, namesOf(event))),
    branch && held('branch', branch, matchesAny(branch, [event.branch])),
    client && held('client', client, client.includes(event.client)),
    reason &&
      held(
        'reason',
        reason,
        reasonsOf(event).some((one) => reason.includes(one)),
      ),
    message === undefined ? undefined : held('message', [message], matchesText(message, event)),
    minSeconds === undefined
      ? undefined
      : held('minSeconds', [String(minSeconds)], (event.durationMs ?? 0) >= minSeconds * 1000),
    asks === undefined ? undefined : held('asks', [String(asks)], isQuestion(event) === asks),
    permissionMode &&
      held('permissionMode', permissionMode, permissionMode.includes(event.permissionMode)),
    given.host && held('host', given.host, matchesAny(given.host, [host])),
    (from ?? to ?? weekday) === undefined
      ? undefined
      : held(
          'time',
          [`${from ?? '00:00'}-${to ?? '24:00'}`, ...(weekday ?? [])],
          isWithin({ from: from ?? '00:00', to: to ?? '24:00', days: weekday, timeZone }, now),
        ),
    given.ssh === undefined
      ? undefined
      : held('ssh', [String(given.ssh)], isOverSsh(event) === given.ssh),
  ]
  return list.filter((one) => one !== undefined)
}

function held(name: string, values: readonly string[], holds: boolean): Held {
  return { holds, because: `${name}: ${values.join(', ')}` }
}

function matchesAny(patterns: readonly string[], names: readonly string[]): boolean {
  const known = names.filter(Boolean)
  return patterns.some((pattern) => {
    const isMatch = matcherOf(expandHome(pattern) ?? pattern)
    return known.some((name) => name === pattern || isMatch(name))
  })
}

const matchers = new Map<string, (name: string) => boolean>()
/** Far more than a configuration has. */
const MAX_MATCHERS = 200

/** Compiled once, because that takes much longer than a match. */
function matcherOf(glob: string): (name: string) => boolean {
  const isMatch = matchers.get(glob) ?? picomatch(glob, { dot: true, noextglob: true })
  matchers.set(glob, isMatch)
  dropOldest(matchers, MAX_MATCHERS)
  return isMatch
}

/** What a pattern for a project may match: its name, its folder, and the folder in it where the session works. */
function namesOf({ project, cwd }: EnrichedEvent): string[] {
  const { repository, tree } = partsOfName(project)
  return [project, repository, cwd, folderAround(cwd, project) || folderAround(cwd, tree)]
}

/** The nearest folder of that name, at or above another one; '' if there is none. */
function folderAround(folder: string, name: string): string {
  if (basename(folder) === name) return folder
  const parent = dirname(folder)
  return parent === folder ? '' : folderAround(parent, name)
}

function reasonsOf({ reason, failure }: EnrichedEvent): string[] {
  return [reason, failure?.reason ?? ''].filter(Boolean)
}

function isQuestion({ kind, asks }: EnrichedEvent): boolean {
  return kind === 'permission' || asks === true
}

export function isOverSsh({ env }: Pick<EnrichedEvent, 'env'>): boolean {
  return Boolean(env.SSH_CONNECTION || env.SSH_TTY)
}

function matchesText(pattern: string, { message, lastMessage }: EnrichedEvent): boolean {
  const text = [message, lastMessage].filter(Boolean).join('\n')
  const short =
    text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT / 2)}\n${text.slice(-MAX_TEXT / 2)}` : text
  return matchesPattern(pattern, short)
}
