// The program as bin/hookbell starts it: cli.ts and the quick commands, from code that an earlier start has compiled.
import { loadCompiled } from '../fs/compiled.ts'

type Main = (
  exports: object,
  load: (name: string) => unknown,
  importPart: (path: string) => Promise<unknown>,
  path: string,
) => unknown

load('cli-code')

function load(name: string): unknown {
  const path = `${__dirname}/${name}.cjs`
  const wrap: [string, string] = [
    '(function(exports,require,importPart,__filename){const module={exports};',
    '\n;return module.exports})',
  ]
  const code = loadCompiled(path, `${__dirname}/${name}.cache`, wrap)
  // By then what the command needs has run, and so is part of what is kept.
  process.once('exit', code.keep)
  const loadOther = (id: string) => (id.startsWith('./') ? load(id.slice(2, -4)) : require(id))
  return (code.value as Main)({}, loadOther, importPart, path)
}

/** From here: V8 forgets where code that was kept may import from. */
function importPart(path: string): Promise<unknown> {
  return import(path)
}
