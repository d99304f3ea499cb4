import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'
import { ReplyParser } from '../../src/hub/resp.ts'

/**
 * A server that speaks the protocol of Redis, but answers a command with any bytes. Closed at the end of the test.
 * @param answer the bytes for a command
 */
export async function startFakeRedis(answer: (words: readonly string[]) => string) {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    const parser = new ReplyParser(8_000_000)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      for (const command of parser.push(chunk))
        socket.write(answer((command as string[]).map(String)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  return { url: `redis://127.0.0.1:${port}`, connections: () => connections }
}
