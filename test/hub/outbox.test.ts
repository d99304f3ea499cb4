import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { RedisConnection } from '../../src/hub/connection.ts'
import { Outbox } from '../../src/hub/outbox.ts'
import { ReplyParser } from '../../src/hub/resp.ts'

/** A fake Redis with one list that rejects its first commands, like one that is still loading. */
async function startRefusing(times: number) {
  const list: string[] = []
  let commands = 0
  const server = createServer((socket) => {
    const parser = new ReplyParser(1024 * 1024)
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      for (const command of parser.push(chunk)) {
        commands += 1
        const [, , ...lines] = command as string[]
        const isRefused = commands <= times
        if (!isRefused) list.push(...lines)
        socket.write(
          isRefused ? '-LOADING Redis is loading the dataset\r\n' : `:${list.length}\r\n`,
        )
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  const connection = new RedisConnection({
    url: `redis://127.0.0.1:${port}`,
    allowUnencrypted: false,
  })
  onTestFinished(() => connection.close())
  return { outbox: new Outbox(connection), list, commands: () => commands }
}

const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`)

it('adds simultaneous lines with one command, in order', async () => {
  const { outbox, list, commands } = await startRefusing(0)
  await Promise.all(lines.map((line) => outbox.add(line)))
  expect([list, commands()]).toEqual([lines, 1])
})

it.each([1, 3])('keeps the order when the first %i commands are rejected', async (times) => {
  const { outbox, list } = await startRefusing(times)
  let open = [...lines]
  for (let round = 0; open.length > 0 && round < 10; round += 1) {
    const sent = open.map(async (line, index) => {
      // Some lines are added while the first ones are in progress.
      for (let wait = 0; wait < index % 3; wait += 1) await new Promise(setImmediate)
      await outbox.add(line)
    })
    const ended = await Promise.allSettled(sent)
    open = open.filter((_, index) => ended[index]?.status === 'rejected')
  }
  const inOrder = (group: number) => list.filter((line) => Number(line.slice(5)) % 3 === group)
  for (const group of [0, 1, 2]) {
    expect(inOrder(group)).toEqual(lines.filter((_, index) => index % 3 === group))
  }
})
