// What bin/hookbell runs: loads cli.ts and the commands from the compiled code that an earlier start cached.
import { type Compiled, loadCompiled, wrapPart } from '../fs/compiled.ts'

type Part = (
  exports: object,
  load: (id: string) => unknown,
  path: string,
  importPackage: (name: string) => Promise<unknown>,
) => unknown

/** Renewed then, because the first start of a command may use little of it, such as `log` without events. */
const MAX_AGE_MS = 3600 * 1000

const files: Compiled[] = []
const parts = new Map<string, unknown>()
load('./cli-code.cjs')
// At exit, all functions that the command used are compiled and go into the cache. Without a command too few are.
process.on('exit', () => {
  if (files.length > 1) for (const file of files) file.keep()
})
// Nothing is under way any more, not even output. Without this Node.js frees its memory piece by piece.
process.on('beforeExit', () => process.exit())

/** Loads another file of the program (`./NAME.cjs`) or a module of Node.js. */
function load(id: string): unknown {
  // An alias, because the bundler would try to resolve a direct `require(id)`.
  const loadModule = require
  if (!id.startsWith('./')) return loadModule(id)
  const part = parts.get(id) ?? loadPart(`${__dirname}${id.slice(1)}`)
  parts.set(id, part)
  return part
}

function loadPart(path: string): unknown {
  const cache = path.replace(/cjs$/, 'cache')
  const file = loadCompiled(path, cache, { wrap: wrapPart, maxAgeMs: MAX_AGE_MS })
  files.push(file)
  return (file.value as Part)({}, load, path, importPackage)
}

/** Imports on behalf of cached code, for which V8 does not keep how imports are resolved. */
function importPackage(name: string): Promise<unknown> {
  return import(name)
}
