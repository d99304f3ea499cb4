import { ConfigError, type InputIssue, ValidationError } from './errors.ts'
import { isLoopback } from './loopback.ts'
import type { Host } from './operation.ts'
import {
  type CallOptions,
  type ClientOptions,
  type Credential,
  type Limits,
  noOptions,
} from './options.ts'
import { isRecord } from './record.ts'

/** The options of a client, checked and complete. */
export interface Settings {
  credential: Credential
  /** Where the key comes from, for hints. */
  keySource: string
  /** Address of each host: the origin, and the path before every path. */
  hosts: Readonly<Record<Host, { origin: string; prefix: string }>>
  limits: Required<Limits>
}

const KEY_VARIABLES = ['HOOKBELL_API_KEY', 'FACTORY_API_KEY']
const keyHint = { hint: `set ${KEY_VARIABLES[0]} or pass apiKey` }
const defaults: Required<Limits> = {
  timeoutMs: 60_000,
  deadlineMs: 180_000,
  retries: 2,
  headers: { accept: 'application/json', 'user-agent': 'hookbell' },
  strict: false,
  maxResponseBytes: 64 * 1024 * 1024,
}

/**
 * Completes the options from the environment.
 * @throws {ConfigError} if there is no key, or it would go over plain http to another machine
 */
export function resolveSettings(options: ClientOptions): Settings {
  const env = options.env ?? process.env
  const base = options.baseUrl ?? (env.HOOKBELL_API_BASE_URL || 'https://api.factory.ai')
  const app = options.appUrl ?? (env.HOOKBELL_APP_BASE_URL || 'https://app.factory.ai')
  const { transport = 'https' } = options
  if (transport !== 'undici' && transport !== 'https' && typeof transport?.send !== 'function')
    throw new ConfigError('transport: must be undici, https, or an object with send')
  const issues = limitIssues(options)
  if (issues[0]) throw new ConfigError(`${issues[0].field}: ${issues[0].problem}`)
  return {
    ...findCredential(options, env),
    hosts: {
      base: readUrl('baseUrl', base, options.allowInsecureHttp),
      app: readUrl('appUrl', app, options.allowInsecureHttp),
    },
    limits: withLimits(defaults, options),
  }
}

/**
 * The limits of one call: its own, else those of the client.
 * @throws {ValidationError} naming the option that is wrong
 */
export function resolveLimits(place: string, limits: Required<Limits>, options: CallOptions) {
  if (options === noOptions) return limits
  if (!isRecord(options))
    throw new ValidationError(place, [{ field: 'options', problem: 'must be an object' }])
  const issues = limitIssues(options)
  const { signal } = options
  if (signal !== undefined && !(signal instanceof AbortSignal))
    issues.push({ field: 'signal', problem: 'must be an AbortSignal' })
  if (issues.length > 0)
    throw new ValidationError(
      place,
      issues.map(({ field, problem }) => ({ field: `options.${field}`, problem })),
    )
  return withLimits(limits, options)
}

function withLimits(limits: Required<Limits>, own: Limits): Required<Limits> {
  return {
    timeoutMs: own.timeoutMs ?? limits.timeoutMs,
    deadlineMs: own.deadlineMs ?? limits.deadlineMs,
    retries: own.retries ?? limits.retries,
    strict: own.strict ?? limits.strict,
    maxResponseBytes: own.maxResponseBytes ?? limits.maxResponseBytes,
    headers: own.headers ? { ...limits.headers, ...lowerCased(own.headers) } : limits.headers,
  }
}

function lowerCased(headers: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  )
}

const RESERVED =
  /^(authorization|connection|content-(length|type)|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

function limitIssues(limits: Limits): InputIssue[] {
  const issues: InputIssue[] = []
  for (const field of ['timeoutMs', 'deadlineMs', 'maxResponseBytes'] as const) {
    const value = limits[field]
    if (value !== undefined && !(typeof value === 'number' && value > 0))
      issues.push({ field, problem: 'must be a number above 0' })
  }
  const { retries, headers } = limits
  if (retries !== undefined && !(Number.isInteger(retries) && retries >= 0))
    issues.push({ field: 'retries', problem: 'must be a whole number, 0 or more' })
  for (const [name, value] of Object.entries(headers ?? {})) {
    const field = `headers.${name}`
    if (!HEADER_NAME.test(name)) issues.push({ field, problem: 'is no header name' })
    else if (RESERVED.test(name)) issues.push({ field, problem: 'is set by the client' })
    else if (typeof value !== 'string' || !HEADER_VALUE.test(value))
      issues.push({ field, problem: 'is no text, or has a forbidden character' })
  }
  return issues
}

function findCredential(options: ClientOptions, env: NonNullable<ClientOptions['env']>) {
  if (typeof options.apiKey === 'function')
    return { credential: options.apiKey, keySource: 'the apiKey function' }
  if (options.apiKey !== undefined)
    return { credential: options.apiKey, keySource: 'the apiKey option' }
  for (const keySource of KEY_VARIABLES) {
    const credential = env[keySource]?.trim()
    if (credential) return { credential, keySource }
  }
  throw new ConfigError(`no API key: ${KEY_VARIABLES[0]} is not set`, keyHint)
}

function readUrl(name: string, text: string, allowInsecureHttp = false) {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  // The address itself stays out of the message: it may have a password in it.
  if (!url || !isHttp) throw new ConfigError(`${name}: is no http or https address`)
  if (url.username || url.password || url.search || url.hash)
    throw new ConfigError(`${name}: must not have a password, a query or a fragment`)
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !allowInsecureHttp)
    throw new ConfigError(`${name}: the key would go over plain http to ${url.hostname}`, {
      hint: 'use https, or set allowInsecureHttp if the network is your own',
    })
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') }
}

/**
 * A key for the next attempt, at once if it is always the same.
 * @throws {ConfigError} if the function fails, or what it gives is no key
 */
export function nextKey({ credential, keySource }: Settings): string | Promise<string> {
  return typeof credential === 'string'
    ? checkKey(credential, keySource)
    : askForKey(credential, keySource)
}

async function askForKey(ask: Exclude<Credential, string>, keySource: string): Promise<string> {
  let given: unknown
  try {
    given = await ask()
  } catch (cause) {
    throw new ConfigError(`${keySource} failed`, { cause })
  }
  return checkKey(given, keySource)
}

function checkKey(given: unknown, keySource: string): string {
  const key = typeof given === 'string' ? given.trim() : ''
  if (/^[\x21-\x7e]+$/.test(key)) return key
  const problem = key === '' ? 'gave no key' : 'gave a key with a space or a forbidden character'
  throw new ConfigError(`${keySource} ${problem}`, keyHint)
}
