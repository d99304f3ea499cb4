import { readFileSync } from 'node:fs'
import { constants, Script } from 'node:vm'
import { readCodeCache, writeCodeCache } from './code-cache.ts'

export interface Compiled {
  /** What the program's text is: a function, as scripts/build.ts makes it. */
  value: unknown
  /** Keeps what V8 has compiled until now for the next start, where that was not done before. */
  keep(): void
}

/** Loads a program, all of it ASCII, from what an earlier start has compiled: `cachePath` is the file for that. */
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
    keep() {
      if (!isKept) writeCodeCache(cachePath, bytes, script.createCachedData())
      isKept = true
    },
  }
}
