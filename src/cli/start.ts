// What bin/hookbell runs: loads cli.ts and the commands from the compiled code that an earlier start cached.
import { type Compiled, loadCompiled } from '../fs/compiled.ts'
import { endWith } from './end-with.ts'

type Commands = Record<string, { run(call: object): Promise<number | undefined> }>
type Part = (
  exports: object,
  load: (id: string) => unknown,
  path: string,
  importPackage: (name: string) => Promise<unknown>,
) => unknown

/** Cached code is compiled again after this time, because the first run of a command may use only a part of it. */
const MAX_AGE_MS = 3600 * 1000

/** Without arguments, these commands need nothing of cli.ts, which would be a fifth of their loading time. */
const ALONE = ['status', 'log']

const files: Compiled[] = []
const parts = new Map<string, unknown>()
const [name = '', ...words] = process.argv.slice(2)
const isAlone = ALONE.includes(name) && words.length === 0
if (isAlone) runAlone()
else runProgram()
// At exit, all functions that the command used are compiled, and the cache keeps them. Without a command they are too few.
process.on('exit', () => {
  if (isAlone || files.length > 1) for (const file of files) file.keep()
})
// Nothing is under way any more, not even output. Without this Node.js frees its memory piece by piece.
process.on('beforeExit', () => process.exit())

function runProgram() {
  load('./cli-code.cjs')
}

/** These commands only read. If one fails, the program runs it once more, and reports its error. */
async function runAlone() {
  try {
    const { [`${name}Command`]: command } = load(`./${name}.cjs`) as Commands
    endWith((await command?.run({ rawArgs: [], args: { _: [] } })) ?? 0)
  } catch {
    runProgram()
  }
}

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
