import { readFileSync, statSync } from 'node:fs'
import { constants, Script } from 'node:vm'
import { readCodeCache, writeCodeCache } from './code-cache.ts'

export interface Compiled {
  /** The value of the program's text: a function, as scripts/build.ts writes it. */
  value: unknown
  /** Caches what V8 has compiled so far for the next start, unless that is cached already. */
  keep(): void
}

/**
 * Loads a program, which must be ASCII, with the code that an earlier start has cached in `cachePath`.
 * @param maxAgeMs how old the cache may be. Default: any age
 */
export function loadCompiled(
  path: string,
  cachePath: string,
  maxAgeMs = Number.POSITIVE_INFINITY,
): Compiled {
  const bytes = readFileSync(path)
  const cachedData = readCodeCache(cachePath, bytes)
  const script = new Script(bytes.toString(), {
    filename: path,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  const isCached = cachedData !== undefined && !script.cachedDataRejected
  // Only held if it will be written: it may be a megabyte.
  let source = isCached && ageOf(cachePath) <= maxAgeMs ? undefined : bytes
  return {
    value: script.runInThisContext(),
    keep() {
      if (source) writeCodeCache(cachePath, source, () => script.createCachedData())
      source = undefined
    },
  }
}

function ageOf(path: string): number {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
}
