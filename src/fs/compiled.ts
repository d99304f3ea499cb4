import { readFileSync, statSync } from 'node:fs'
import { constants, Script } from 'node:vm'
import { readCodeCache, writeCodeCache } from './code-cache.ts'

export interface Compiled {
  /** The value of the program's text: a function, as scripts/build.ts writes it. */
  value: unknown
  /**
   * Caches what V8 has compiled so far for the next start, unless that is cached already.
   * @param maxAgeMs how old the cache may be
   */
  keep(maxAgeMs?: number): void
}

/** Makes the text of a CommonJS file a function of `exports`, `require`, its path, and a function that imports for it. */
export const wrapPart: [before: string, after: string] = [
  '(function(exports,require,__filename,importPart){const module={exports};',
  '\n;return module.exports})',
]

/** Loads a program, which must be ASCII, with the code that an earlier start has cached in `cachePath`. */
export function loadCompiled(path: string, cachePath: string, wrap?: [string, string]): Compiled {
  const bytes = readFileSync(path)
  const [before, after] = wrap ?? ['', '']
  const cachedData = readCodeCache(cachePath, bytes)
  const script = new Script(`${before}${bytes.toString('latin1')}${after}`, {
    filename: path,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  let isKept = cachedData !== undefined && !script.cachedDataRejected
  return {
    value: script.runInThisContext(),
    keep(maxAgeMs = Number.POSITIVE_INFINITY) {
      if (!isKept || ageOf(cachePath) > maxAgeMs)
        writeCodeCache(cachePath, bytes, () => script.createCachedData())
      isKept = true
    },
  }
}

function ageOf(path: string): number {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
}
