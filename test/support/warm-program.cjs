// Runs the built command line program again and again in one process, so that modules load once. See run-command.ts.
const { basename, join } = require('node:path')
const vm = require('node:vm')

const root = join(__dirname, '../..')
const program = join(root, 'bin/hookbell')
const POLL_MS = 2

/** What the parts of the program export that need to run only once, such as the commands. */
const exported = new Map()

/** The program loads each part as a script whose value is a function that returns what the part exports. */
vm.Script = class extends vm.Script {
  #name

  constructor(text, options) {
    super(text, options)
    this.#name = basename(options?.filename ?? '')
  }

  runInThisContext(...words) {
    const name = this.#name
    const run = super.runInThisContext(...words)
    // The part that reads the command line runs each time.
    if (!name.endsWith('.cjs') || name === 'cli-code.cjs') return run
    return (...given) => {
      if (!exported.has(name)) exported.set(name, run(...given))
      return exported.get(name)
    }
  }
}

process.setMaxListeners(0)
process.on('disconnect', () => process.exit(0))
process.on('message', run)

/** The resources that keep this process alive while no command runs. Read in a timer, as in reportEnd. */
let idle
setTimeout(() => {
  idle = resources()
  process.send('ready')
}, POLL_MS)

function run({ words, env, cwd }) {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.chdir(cwd)
  process.argv = [process.execPath, program, ...words]
  process.exitCode = undefined
  // Loads the program itself again; the modules that it imports stay loaded.
  for (const path of [program, join(root, 'dist/cli.cjs')]) delete require.cache[path]
  require(program)
  reportEnd()
}

/** Reports the exit code when a separate process would exit: the code is set, and nothing else keeps the process alive. */
function reportEnd() {
  setTimeout(() => {
    if (process.exitCode === undefined || resources() !== idle) return reportEnd()
    for (const name of ['exit', 'beforeExit', 'SIGINT', 'SIGTERM', 'SIGHUP'])
      process.removeAllListeners(name)
    const { exitCode } = process
    process.exitCode = undefined
    process.send({ exitCode })
  }, POLL_MS)
}

function resources() {
  return process.getActiveResourcesInfo().sort().join()
}
