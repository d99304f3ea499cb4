// A worker that kills itself with SIGKILL when it delivers a certain message, like a crash in native code.
import { configDir, stateDir } from '../../src/config/paths.ts'
import { notifiers } from '../../src/notifiers/index.ts'
import { runUntilIdle } from '../../src/worker/run.ts'

const { send } = notifiers.file
Object.assign(notifiers.file, {
  send(...[message, ...rest]: Parameters<typeof send>) {
    if (message.body.includes('POISON')) process.kill(process.pid, 'SIGKILL')
    return send(message, ...rest)
  },
})
await runUntilIdle({ stateDir: stateDir(), configDir: configDir() })
process.exit(0)
