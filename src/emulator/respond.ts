import type { ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { isCarriedOut, type TakenFault } from './faults.ts'
import type { Reply } from './reply.ts'

/** Writes a response, or what a fault makes of it. Resolves to the status that was sent, if any. */
export async function respond(
  response: ServerResponse,
  taken: TakenFault | undefined,
  makeReply: () => Reply | Promise<Reply>,
): Promise<number | undefined> {
  if (!taken) return send(response, await makeReply())
  const { fault, delayMs } = taken
  const { then } = fault
  const reply = isCarriedOut(fault) ? await makeReply() : { status: 200, body: {} }
  // The timer is unreferenced, so that a delayed response does not keep the process running.
  if (delayMs) await wait(delayMs, undefined, { ref: false })
  if ('status' in then) return send(response, then)
  if ('hang' in then) return undefined
  if ('brokenJson' in then) return sendBroken(response, reply)
  if (!('cut' in then)) return send(response, reply)
  return then.cut === 'before-headers' ? cut(response) : sendHalf(response, reply)
}

function send(response: ServerResponse, { status, headers = {}, body }: Reply) {
  if (response.destroyed) return undefined
  const text = textOf(body)
  writeHead(response, status, headers, text)
  response.end(text)
  return status
}

/** Sends headers for the whole body, then half of the body, then closes the connection. */
function sendHalf(response: ServerResponse, reply: Reply) {
  const text = textOf(reply.body) || '{}'
  writeHead(response, reply.status, reply.headers, text)
  response.write(half(text), () => response.destroy())
  return reply.status
}

/** Sends a complete response with half of its JSON. */
function sendBroken(response: ServerResponse, reply: Reply) {
  const text = half(textOf(reply.body) || '{}')
  writeHead(response, reply.status, reply.headers, text)
  response.end(text)
  return reply.status
}

function cut(response: ServerResponse) {
  response.destroy()
  return undefined
}

function writeHead(response: ServerResponse, status: number, headers = {}, text = '') {
  const hasBody = text !== ''
  const type = hasBody ? { 'content-type': 'application/json; charset=utf-8' } : {}
  const length = status === 204 ? {} : { 'content-length': String(Buffer.byteLength(text)) }
  response.writeHead(status, { ...type, ...length, ...headers })
}

function textOf(body: unknown) {
  if (body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}

function half(text: string) {
  return text.slice(0, Math.ceil(text.length / 2))
}
