// The worker as the front door starts it: main.ts, from code that an earlier start has compiled.
import { readFileSync } from 'node:fs'
import { constants, Script } from 'node:vm'
import { readCodeCache, writeCodeCache } from '../fs/code-cache.ts'
import { keepMemorySmall } from './keep-memory-small.ts'

/** By then what a start needs has run, and so is part of what is kept. */
const KEEP_AFTER_MS = 1000

const path = `${__dirname}/worker-code.cjs`
const cachePath = `${__dirname}/worker-code.cache`
// All ASCII: scripts/build.ts.
const source = readFileSync(path, 'latin1')
const cachedData = readCodeCache(cachePath, source)
const script = new Script(source, {
  filename: path,
  cachedData,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
})
let isKept = cachedData !== undefined && !script.cachedDataRejected
setTimeout(keepCode, KEEP_AFTER_MS).unref()
script.runInThisContext()(require, __filename, keepCode)

/** Once, and before the flags change: V8 takes code only under the flags that it was made under. */
function keepCode() {
  if (!isKept) writeCodeCache(cachePath, source, script.createCachedData())
  isKept = true
  keepMemorySmall()
}
