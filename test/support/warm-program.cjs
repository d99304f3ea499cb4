// Runs the built command line program again and again in one process, so that modules load once. See run-command.ts.
const { join } = require('node:path')

const root = join(__dirname, '../..')
const program = join(root, 'bin/hookbell')
const POLL_MS = 2

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
