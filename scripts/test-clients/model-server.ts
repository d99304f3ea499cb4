import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { anthropic } from './formats/anthropic.ts'
import { gemini } from './formats/gemini.ts'
import { openaiChat } from './formats/openai-chat.ts'
import { openaiResponses } from './formats/openai-responses.ts'
import type { WireFormat } from './formats/wire-format.ts'

const formats: readonly WireFormat[] = [anthropic, openaiResponses, openaiChat, gemini]

/** Starts a model on loopback that gives the same answer to every question. `asked` lists the requests. */
export async function startModelServer(says: string) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    asked.push(`${request.method} ${path}`)
    answer(request, response, path, says).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  says: string,
) {
  const body = await text(request)
  const format = formats.find((one) => one.path.test(path))
  if (!format) {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    return
  }
  const answered = format.answer(says, { path, stream: /"stream":\s*true/.test(body) })
  if ('json' in answered) {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(answered.json))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const { event, data } of answered.events) {
    if (event) response.write(`event: ${event}\n`)
    response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)
  }
  response.end()
}
