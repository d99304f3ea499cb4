import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A port that refuses every connection, and that no other process can get. Reserved until the test ends. */
export async function refusedPort(): Promise<number> {
  const server = createServer()
  const port = (await listen(server, 0)) ?? 0
  // The local port of an open connection is reserved, although nothing listens on it. It is outside the range of assigned
  // ports, because a later connection to it could be assigned the same port, and would then connect to itself.
  const localPort = await reopenablePort()
  const socket: Socket = connect({ port, host: '127.0.0.1', localPort })
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  await once(socket, 'connect')
  return localPort
}

/** A free port that a test can open repeatedly, because it is outside the range from which the system assigns ports. */
export async function reopenablePort(): Promise<number> {
  for (;;) {
    const server = createServer()
    const port = await listen(server, randomInt(10_000, 30_000))
    if (port === undefined) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

/** @returns the port; undefined if it is in use */
async function listen(server: Server, port: number): Promise<number | undefined> {
  server.listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return undefined
  }
  const address = server.address()
  return typeof address === 'object' ? address?.port : undefined
}
