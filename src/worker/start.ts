// The worker as the front door starts it: main.ts, from code that an earlier start has compiled.
import { loadCompiled } from '../fs/compiled.ts'
import { keepMemorySmall } from './keep-memory-small.ts'

/** By then what a start needs has run, and so is part of what is kept. */
const KEEP_AFTER_MS = 1000

const path = `${__dirname}/worker-code.cjs`
const code = loadCompiled(path, `${__dirname}/worker-code.cache`)
setTimeout(keepCode, KEEP_AFTER_MS).unref()
const main = code.value as (load: typeof require, path: string, keepCode: () => void) => void
main(require, __filename, keepCode)

/** Before the flags change: V8 takes code only under the flags that it was made under. */
function keepCode() {
  code.keep()
  keepMemorySmall()
}
