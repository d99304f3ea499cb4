import { writeSync } from 'node:fs'
import { register } from 'node:module'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type * as z from 'zod'
import type { Message, Notifier, Verdict } from '../define.ts'

// The program that runs a notifier of the user's own: one call on stdin, one reply on stdout. See call.ts.

// So that the notifier needs no installation beside it: where Node.js does not find them, these names mean this file.
export * from 'zod'
export { kinds } from '../../event/event.ts'
export { DeliveryError, defineNotifier } from '../define.ts'

export interface Call {
  name: 'check' | 'compose' | 'send' | 'withdraw' | 'update'
  file: string
  options: Readonly<Record<string, unknown>>
  message?: Message
  handle?: string
  context?: object
}

export interface Fault {
  verdict: Verdict
  message: string
  hint?: string
  retryAfterMs?: number
  isChannelDead?: boolean
  handle?: string
}

export type Reply = { value: unknown } | { fault: Fault }

/** What a notifier of the user's own may declare. */
const FUNCTIONS = ['send', 'compose', 'withdraw', 'update']
const FIELDS = ['name', 'title', 'options', ...FUNCTIONS]

void main()

async function main() {
  const call: Call = JSON.parse(await text(process.stdin))
  // What it prints must not be taken for the reply.
  process.stdout.write = process.stderr.write.bind(process.stderr)
  const reply = await replyTo(call)
  writeSync(1, `\n${JSON.stringify(reply)}\n`)
  // It may have left a timer or a connection open.
  process.exit(0)
}

async function replyTo(call: Call): Promise<Reply> {
  const notifier = await load(call.file)
  if (typeof notifier === 'string') return broken(notifier)
  const found = await notifier.options.safeParseAsync(call.options)
  if (!found.success) return broken(`options: ${inWords(found.error)}`)
  try {
    return { value: (await run(notifier, found.data as never, call)) ?? null }
  } catch (error) {
    return { fault: faultOf(error) }
  }
}

/** @returns the notifier, or what is wrong with the file */
async function load(file: string): Promise<Notifier | string> {
  register(`data:text/javascript,${encodeURIComponent(HOOKS)}`)
  try {
    const exported: { default?: unknown } = await import(pathToFileURL(file).href)
    return shapeFault(exported.default) ?? (exported.default as Notifier)
  } catch (error) {
    return `it cannot be loaded: ${messageOf(error)}`
  }
}

const HOOKS = `export async function resolve(name, context, next) {
  try {
    return await next(name, context)
  } catch (error) {
    if (!['hookbell', 'zod'].includes(name)) throw error
    return { url: ${JSON.stringify(import.meta.url)}, shortCircuit: true }
  }
}`

function shapeFault(exported: unknown): string | undefined {
  if (typeof exported !== 'object' || exported === null)
    return 'its default export must be what defineNotifier returns'
  const notifier = exported as Readonly<Record<string, unknown>>
  if (typeof notifier.send !== 'function') return 'it has no function send'
  const { safeParseAsync } = Object(notifier.options)
  if (typeof safeParseAsync !== 'function') return 'its options must be z.strictObject({ ... })'
  const wrong = FUNCTIONS.find((name) => !['function', 'undefined'].includes(typeof notifier[name]))
  if (wrong !== undefined) return `${wrong} must be a function`
  const unknown = Object.keys(notifier).find((name) => !FIELDS.includes(name))
  return unknown && `${unknown} cannot be set here, only ${FIELDS.join(', ')}`
}

async function run(
  notifier: Notifier,
  options: never,
  { name, message, handle = '', context }: Call,
): Promise<unknown> {
  const { signal } = new AbortController()
  const all = { ...context, signal } as never
  if (name === 'compose') return await notifier.compose?.(message as Message, options, all)
  if (name === 'withdraw') return await notifier.withdraw?.(handle, options, all)
  if (name === 'update') return await notifier.update?.(handle, message as Message, options, all)
  if (name === 'send') return await notifier.send(message as Message, options, all)
  return undefined
}

function broken(message: string): Reply {
  return { fault: { verdict: 'give-up', message, isChannelDead: true } }
}

/** By its fields, because the notifier may have the class from another copy of the package. */
function faultOf(error: unknown): Fault {
  const { verdict, hint, retryAfterMs, isChannelDead, handle } = Object(error)
  const isKnown = ['retry', 'give-up', 'unavailable'].includes(verdict)
  const message = messageOf(error)
  return isKnown
    ? { verdict, message, hint, retryAfterMs, isChannelDead, handle }
    : { verdict: 'retry', message }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
}

function inWords({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('; ')
}
