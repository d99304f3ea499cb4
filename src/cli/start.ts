// What bin/hookbell runs: loads cli.ts and the quick commands from the compiled code that an earlier start cached.
import { type Compiled, loadCompiled } from '../fs/compiled.ts'

type Main = (
  exports: object,
  load: (name: string) => unknown,
  importPart: (path: string) => Promise<unknown>,
  path: string,
) => unknown

/** Renewed then, because the first start of a command may use little of it, such as `log` without events. */
const MAX_AGE_MS = 3600 * 1000

const parts: Compiled[] = []
let hasCommand = false
load('cli-code')
// At exit, all functions that the command used are compiled and go into the cache. Without a command too few are.
process.on('exit', () => {
  if (hasCommand) for (const part of parts) part.keep(MAX_AGE_MS)
})
// Nothing is under way any more, not even output. Without this Node.js frees its memory piece by piece.
process.on('beforeExit', () => process.exit())

function load(name: string): unknown {
  const path = `${__dirname}/${name}.cjs`
  const wrap: [string, string] = [
    '(function(exports,require,importPart,__filename){const module={exports};',
    '\n;return module.exports})',
  ]
  const code = loadCompiled(path, `${__dirname}/${name}.cache`, wrap)
  parts.push(code)
  return (code.value as Main)({}, loadOther, importPart, path)
}

/** Loads a quick command (`./NAME.cjs`) or a module of Node.js. */
function loadOther(id: string): unknown {
  // An alias, because the bundler would try to resolve a direct `require(id)`.
  const loadModule = require
  if (!id.startsWith('./')) return loadModule(id)
  hasCommand = true
  return load(id.slice(2, -4))
}

/** Imports on behalf of cached code, for which V8 does not keep how imports are resolved. */
function importPart(path: string): Promise<unknown> {
  hasCommand = true
  return import(path)
}
