import { type Context, createContext, Script } from 'node:vm'
import picomatch from 'picomatch'
import { dropOldest } from '../drop-oldest.ts'

/** A pattern may take exponential time, and the worker waits for it: for all patterns of an event, at most about this. */
const MAX_CPU_MS = 100
/** Not counted, because the timeout alone takes some time: many harmless patterns must not use up the time. */
const FREE_CPU_MS = 1

const GLOB = { dot: true, noextglob: true, windows: process.platform === 'win32' }

const script = new Script('new RegExp(source, flags).test(text)')
/** Made once, because that takes ten times as long as a match. */
let context: Context | undefined

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
