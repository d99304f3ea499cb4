// The program as bin/hookbell starts it: cli.ts and the quick commands, from code that an earlier start has compiled.
import { type Compiled, loadCompiled } from '../fs/compiled.ts'

type Main = (
  exports: object,
  load: (name: string) => unknown,
  importPart: (path: string) => Promise<unknown>,
  path: string,
) => unknown

const parts: Compiled[] = []
let hasCommand = false
load('cli-code')
// By then what the command needs has run, and so is part of what is kept. Where there was none, too little has.
process.once('exit', () => {
  if (hasCommand) for (const part of parts) part.keep()
})

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

/** A quick command, or a module of Node.js. */
function loadOther(id: string): unknown {
  // From here: a bundler would look for it.
  const loadModule = require
  if (!id.startsWith('./')) return loadModule(id)
  hasCommand = true
  return load(id.slice(2, -4))
}

/** From here: V8 forgets where code that was kept may import from. */
function importPart(path: string): Promise<unknown> {
  hasCommand = true
  return import(path)
}
