import { basename, dirname } from 'node:path'
import type { Conditions } from '../config/schema/route.ts'
import type { EnrichedEvent } from '../context/enrich.ts'
import { partsOfName } from '../context/work-tree-name.ts'
import { expandHome } from '../fs/home.ts'
import { isWithin } from '../text/local-time.ts'
import { Patterns } from './pattern.ts'

/** What a condition may depend on, besides the event. */
export interface RouteDeps {
  host: string
  /** Unix ms. */
  now: number
  /** Those of this event, so that all its conditions together take a limited time. Default: new ones. */
  patterns?: Patterns
}

/** The result of one condition: whether it holds, and the condition in words. */
export interface Held {
  holds: boolean
  because: string
  /** A pattern took too long, so that the condition does not hold, but nobody knows whether it should. */
  isUndecided?: boolean
}

/** Longer texts are compared at their beginning and their end, where agents say what matters. */
const MAX_TEXT = 4000

/** Evaluates each given condition, in the order of the documentation. */
export function conditionsOf(
  { from, to, weekday, timeZone, ...given }: Conditions,
  event: EnrichedEvent,
  { host, now, patterns = new Patterns() }: RouteDeps,
): Held[] {
  const matchesAny = matcher(patterns)
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
    message === undefined
      ? undefined
      : held('message', [message], patterns.matches(message, textOf(event))),
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
    given.headless === undefined
      ? undefined
      : held('headless', [String(given.headless)], (event.isHeadless ?? false) === given.headless),
  ]
  return list.filter((one) => one !== undefined)
}

function held(name: string, values: readonly string[], holds: boolean | undefined): Held {
  const because = `${name}: ${values.join(', ')}`
  if (holds !== undefined) return { holds, because }
  return { holds: false, because: `${because} (took too long)`, isUndecided: true }
}

/** @returns whether one of the patterns matches one of the names; undefined if that took too long */
function matcher(patterns: Patterns) {
  return (globs: readonly string[], names: readonly string[]): boolean | undefined => {
    let result: boolean | undefined = false
    for (const glob of globs) {
      const full = expandHome(glob) ?? glob
      for (const name of names.filter(Boolean)) {
        const matches = glob === name || patterns.matchesGlob(full, name)
        if (matches) return true
        if (matches === undefined) result = undefined
      }
    }
    return result
  }
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

function textOf({ message, lastMessage }: EnrichedEvent): string {
  const text = [message, lastMessage].filter(Boolean).join('\n')
  if (text.length <= MAX_TEXT) return text
  return `${text.slice(0, MAX_TEXT / 2)}\n${text.slice(-MAX_TEXT / 2)}`
}
