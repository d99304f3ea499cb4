import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** Listens with a backlog of one and then blocks its event loop until it is woken, so that it accepts no connection. */
const program = `
  const server = require('node:http').createServer((_, response) => response.end('ok'))
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port))
    require('node:fs').readSync(0, Buffer.alloc(1))
  })
`

/** Starts a server whose accept queue is full, so that a connection attempt gets no answer. @returns its port */
export async function startDeafServer(): Promise<number> {
  return (await startSleepingServer()).port
}

/** Starts a server like `startDeafServer`. After `wake()`, it answers all requests. */
export async function startSleepingServer() {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const wake = () => void child.stdin.write('.')
  const [port] = await once(child.stdout, 'data')
  for (;;) {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await Promise.race([once(socket, 'connect'), sleep(500)])
    // If this process was busy, a connection may be open already. The next turn of the event loop notices it.
    await nextTurn()
    if (socket.connecting) return { port: Number(port), wake }
  }
}
