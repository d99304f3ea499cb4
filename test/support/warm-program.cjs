// The built command line program in a process that stays: what it loads is loaded once. See run-command.ts.
const { join } = require('node:path')

const root = join(__dirname, '../..')
const program = join(root, 'bin/hookbell')
const POLL_MS = 2

process.setMaxListeners(0)
process.on('disconnect', () => process.exit(0))
process.on('message', run)

/** What keeps this process alive while no command runs. Asked where a timer has just fired, as below. */
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
  // It is run anew; the parts that it imports are there.
  for (const path of [program, join(root, 'dist/cli.cjs')]) delete require.cache[path]
  require(program)
  reportEnd()
}

/** A process of its own would end now: the command has set its exit code, and nothing is left to wait for. */
function reportEnd() {
  setTimeout(() => {
    if (process.exitCode === undefined || resources() !== idle) return reportEnd()
    for (const name of ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name)
    const { exitCode } = process
    process.exitCode = undefined
    process.send({ exitCode })
  }, POLL_MS)
}

function resources() {
  return process.getActiveResourcesInfo().sort().join()
}
