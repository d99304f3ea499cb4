// What bin/hookbell runs: loads cli.ts and the commands from the compiled code that an earlier start cached.
import { type Compiled, loadCompiled } from '../fs/compiled.ts'

type Part = (
  exports: object,
  load: (id: string) => unknown,
  path: string,
  importPackage: (name: string) => Promise<unknown>,
) => unknown

/** Cached code is compiled again after this time, because the first run of a command may use only a part of it. */
const MAX_AGE_MS = 3600 * 1000

const files: Compiled[] = []
const parts = new Map<string, unknown>()
load('./cli-code.cjs')
// At exit, all functions that the command used are compiled, and the cache keeps them. Without a command they are too few.
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
  const file = loadCompiled(path, path.replace(/cjs$/, 'cache'), MAX_AGE_MS)
  files.push(file)
  return (file.value as Part)({}, load, path, importPackage)
}

/** Imports on behalf of cached code, for which V8 does not keep how imports are resolved. */
function importPackage(name: string): Promise<unknown> {
  return import(name)
}
