import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** Listens for one connection at a time, and never comes to accept any. */
const program = `
  const server = require('node:net').createServer()
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })
`

/** A port of this machine whose queue is full, so that nothing answers to a first packet. */
export async function startDeafServer(): Promise<number> {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [port] = await once(child.stdout, 'data')
  for (;;) {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await Promise.race([once(socket, 'connect'), sleep(500)])
    // What the system has answered meanwhile is seen in the next turn, however busy this process was.
    await nextTurn()
    if (socket.connecting) return Number(port)
  }
}
