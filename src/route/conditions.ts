import { basename, dirname } from 'node:path'
import { type Context, createContext, Script } from 'node:vm'
import picomatch from 'picomatch'
import type { Conditions } from '../config/schema/route.ts'
import type { EnrichedEvent } from '../context/enrich.ts'
import { partsOfName } from '../context/project.ts'
import { dropOldest } from '../drop-oldest.ts'
import { expandHome } from '../fs/home.ts'
import { isWithin } from '../text/local-time.ts'

/** A pattern may take exponential time, and the worker waits for it: for all patterns of an event, at most about this. */
const MAX_CPU_MS = 100

/** Not counted, because the timeout alone takes some time: many harmless patterns must not use up the time. */
const FREE_CPU_MS = 1

const GLOB = { dot: true, noextglob: true, windows: process.platform === 'win32' }

const script = new Script('new RegExp(source, flags).test(text)')

/** Made once, because that takes ten times as long as a match. */
let context: Context | undefined

/** What a condition may depend on, besides the event. */
export interface RouteDeps {
  host: string
  /** Unix ms. */
  now: number
  /** Those of this event, so that all its conditions together take a limited time. Default: new ones. */
  patterns?: Patterns
}

/** The result of one condition: whether it holds, and the condition in words. */
interface Held {
  holds: boolean
  because: string
  /** A pattern took too long, so that the condition does not hold, but nobody knows whether it should. */
  isUndecided?: boolean
}

/** Longer texts are compared at their beginning and their end, where agents say what matters. */
const MAX_TEXT = 4000

/**
 * Evaluates each given condition, in the order of the documentation.
 * @param unknown whether one holds of which nothing can be seen: so that a person is told, those of `when` do, and those of
 * `not` do not
 */
export function conditionsOf(
  { from, to, weekday, timeZone, ...given }: Conditions,
  event: EnrichedEvent,
  { host, now, patterns = new Patterns() }: RouteDeps,
  unknown: boolean,
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
    presence('here', given.here, event.isHere, unknown),
    presence('away', given.away, event.isHere === undefined ? undefined : !event.isHere, unknown),
  ]
  return list.filter((one) => one !== undefined)
}

function presence(
  name: string,
  wanted: boolean | undefined,
  found: boolean | undefined,
  unknown: boolean,
): Held | undefined {
  if (wanted === undefined) return undefined
  if (found !== undefined) return held(name, [String(wanted)], found === wanted)
  return held(name, [`${wanted} (unknown)`], unknown)
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
  return [project, repository, cwd, parentNamed(cwd, project) || parentNamed(cwd, tree)]
}

/** The nearest folder of that name, at or above another one; '' if there is none. */
function parentNamed(folder: string, name: string): string {
  if (basename(folder) === name) return folder
  const parent = dirname(folder)
  return parent === folder ? '' : parentNamed(parent, name)
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

/** Whether the patterns of a configuration match the texts of one event. */
export class Patterns {
  #leftMs = MAX_CPU_MS
  readonly #results = new Map<string, boolean | undefined>()

  /** @returns undefined if it took too long */
  matches(expression: string, text: string): boolean | undefined {
    return this.#once(`${expression}\n${text}`, () => this.#run(expression, 'u', text))
  }

  /** The same for a pattern such as `api-*`. */
  matchesGlob(glob: string, name: string): boolean | undefined {
    if (glob === name) return true
    // Names are those of a few projects and branches, so what is known of them holds for later events too.
    const key = `${glob}\n${name}`
    const known = globResults.get(key)
    if (known !== undefined) return known
    const result = this.#once(`glob ${key}`, () => {
      const { source, flags } = picomatch.makeRe(glob, GLOB)
      return this.#run(source, flags, name)
    })
    if (result !== undefined) globResults.set(key, result)
    dropOldest(globResults, MAX_RESULTS)
    return result
  }

  #once(key: string, run: () => boolean | undefined): boolean | undefined {
    if (!this.#results.has(key)) this.#results.set(key, run())
    return this.#results.get(key)
  }

  /**
   * An expression gets half of the time that is left, so that one that takes too long leaves time for the others. If the
   * process got less CPU time than that before the timeout, the match is tried again with a longer one.
   */
  #run(source: string, flags: string, text: string): boolean | undefined {
    const limitMs = Math.max(FREE_CPU_MS, this.#leftMs / 2)
    context ??= createContext({})
    Object.assign(context, { source, flags, text })
    // Longer than the limit, so that on an idle machine the first try decides.
    for (let wallMs = Math.ceil(limitMs * 1.2); ; wallMs *= 2) {
      const before = process.cpuUsage()
      try {
        return script.runInContext(context, { timeout: wallMs }) === true
      } catch (error) {
        if (!isTimeout(error)) return false
      } finally {
        this.#leftMs -= Math.max(0, cpuMsSince(before) - FREE_CPU_MS)
      }
      // The CPU time of all threads is too high rather than too low, so a malicious pattern ends in any case.
      if (cpuMsSince(before) >= limitMs) return undefined
    }
  }
}

const globResults = new Map<string, boolean>()

/** Far more than a configuration has patterns. */
const MAX_RESULTS = 1000

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function isTimeout(error: unknown): boolean {
  return Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
