import { basename } from 'node:path'
import type { Liquid } from 'liquidjs'
import { describeError } from '../../errors.ts'
import { oneLine } from '../../text/clean.ts'
import { didYouMean } from '../../text/suggest.ts'
import { DeliveryError, type Message } from '../define.ts'

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }

const valueNames = [
  ...(['id', 'event', 'kind', 'urgency', 'title', 'body', 'sessionId'] as const),
  ...(['project', 'host', 'client', 'at'] as const),
]

/** The body for a channel without its own, in the format of https://www.standardwebhooks.com. */
export function standardBody(message: Message): string {
  const data = valuesOf(message)
  return JSON.stringify({ type: `hookbell.${message.kind}`, timestamp: message.at, data })
}

/**
 * Renders a channel's own body. In an object every string is a template, so that the result is JSON
 * whatever the event contains. A text is one template, with values escaped for the content type.
 * @throws DeliveryError where a template is wrong
 */
export async function fillBody(
  body: string | { [name: string]: unknown },
  contentType: string,
  message: Message,
): Promise<string> {
  const values = valuesOf(message)
  try {
    if (typeof body !== 'string') {
      const engine = await makeEngine((text) => text)
      return JSON.stringify(
        fillAll(body as Json, (text) => engine.parseAndRenderSync(text, values)),
      )
    }
    const engine = await makeEngine(escapeFor(contentType))
    return checked(engine.parseAndRenderSync(body, values), contentType)
  } catch (error) {
    throw new DeliveryError('give-up', `webhook: body: ${oneLine(describeError(error))}`, {
      hint: `Correct the body of this channel in the configuration; values: ${valueNames.join(', ')}`,
    })
  }
}

/** What is wrong with the templates of a body, as far as that shows without a message. */
export async function bodyProblems(body: string | { [name: string]: unknown }): Promise<string[]> {
  const engine = await makeEngine((text) => text)
  return textsIn(body as Json).flatMap((text) => templateProblems(engine, text))
}

function templateProblems(engine: Liquid, template: string): string[] {
  try {
    return engine
      .globalVariablesSync(engine.parse(template))
      .filter((name) => !(valueNames as readonly string[]).includes(name))
      .map((name) => `no value is called "${name}". ${didYouMean(name, valueNames)}`)
  } catch (error) {
    return [oneLine(describeError(error))]
  }
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** All values that a template can use, and that the default body contains. */
function valuesOf(message: Message): Record<(typeof valueNames)[number], unknown> {
  const { id, event, kind, urgency, title, body, sessionId, cwd, client, at } = message
  const { project = basename(cwd), host = '' } = message.origin ?? {}
  const where = { project, host }
  return { id, event, kind, urgency, title, body, sessionId, ...where, client, at }
}

async function makeEngine(escapeValue: (text: string) => string): Promise<Liquid> {
  const { makeLiquid } = await import('../../text/liquid.ts')
  return makeLiquid((value) => escapeValue(String(value ?? '')), { strictVariables: true })
}

function escapeFor(contentType: string): (text: string) => string {
  if (isJson(contentType)) return (text) => JSON.stringify(text).slice(1, -1)
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
    return (text) => encodeURIComponent(text.toWellFormed())
  }
  return (text) => text
}

function isJson(contentType: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType)
}

function checked(text: string, contentType: string): string {
  if (isJson(contentType)) JSON.parse(text)
  return text
}

function fillAll(value: Json, fill: (text: string) => string): Json {
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map((item) => fillAll(item, fill))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillAll(item, fill)]))
}
