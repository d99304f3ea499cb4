import { ConfigError, type InputIssue, ValidationError } from '../errors.ts'
import type { Host } from '../operation.ts'
import { isRecord } from '../record.ts'
import { didYouMean } from '../validation/suggest.ts'
import { version } from '../version.ts'
import { isLoopback } from './loopback.ts'
import {
  type CallOptions,
  type ClientOptions,
  type Credential,
  type Limits,
  noOptions,
} from './options.ts'

type Complete<Options> = { [Name in keyof Options]-?: NonNullable<Options[Name]> }

/** The options of a client, checked and complete. */
export interface Settings {
  credential: Credential
  /** Where the key comes from, for hints. */
  keySource: string
  /** URL of each host: the origin, and the path before every path. `app` is missing if nobody named it. */
  hosts: Readonly<Partial<Record<Host, { origin: string; prefix: string }>>>
  limits: Complete<Limits>
}

const API_URL = 'https://api.factory.ai'
const APP_URL = 'https://app.factory.ai'
const KEY_VARIABLES = ['HOOKBELL_API_KEY', 'FACTORY_API_KEY']
const keyHint = { hint: `set ${KEY_VARIABLES[0]} or pass apiKey` }
const defaults: Complete<Limits> = {
  timeoutMs: 60_000,
  deadlineMs: 180_000,
  retries: 2,
  headers: { accept: 'application/json', 'user-agent': `hookbell/${version}` },
  strict: false,
  maxResponseBytes: 64 * 1024 * 1024,
}

/**
 * Completes the options from the environment.
 * @throws {ConfigError} if there is no key, or it would go over plain http to another machine
 */
export function resolveSettings(options: ClientOptions): Settings {
  const unknown = unknownNames(options, clientOptionNames)
  if (unknown[0]) throw new ConfigError(`${unknown[0].field}: ${unknown[0].problem}`)
  const env = options.env ?? globalThis.process?.env ?? {}
  const base = options.baseUrl ?? (env.HOOKBELL_API_BASE_URL || API_URL)
  const app = options.appUrl ?? (env.HOOKBELL_APP_BASE_URL || undefined)
  const { transport = 'https' } = options
  if (!['undici', 'https', 'fetch'].includes(String(transport)) && !hasSend(transport))
    throw new ConfigError('transport: must be undici, https, fetch, or an object with send')
  const issues = limitIssues(options)
  if (issues[0]) throw new ConfigError(`${issues[0].field}: ${issues[0].problem}`)
  return {
    ...findCredential(options, env),
    hosts: readHosts(base, app, options.allowInsecureHttp),
    limits: withLimits(defaults, options),
  }
}

/** Who names another API and no application gets none: the key is not for the public one. */
function readHosts(base: string, app: string | undefined, allowHttp?: boolean): Settings['hosts'] {
  const hosts = { base: readUrl('baseUrl', base, allowHttp) }
  const isPublic = hosts.base.origin === API_URL && hosts.base.prefix === ''
  const appUrl = app ?? (isPublic ? APP_URL : undefined)
  return appUrl === undefined ? hosts : { ...hosts, app: readUrl('appUrl', appUrl, allowHttp) }
}

/**
 * The limits of one call: its own, else those of the client.
 * @throws {ValidationError} naming the option that is wrong
 */
export function resolveLimits(place: string, limits: Settings['limits'], options: CallOptions) {
  if (options === noOptions) return limits
  if (!isOptions(options))
    throw new ValidationError(place, [{ field: 'options', problem: 'must be an object' }])
  const issues = [...unknownNames(options, callOptionNames), ...limitIssues(options)]
  const { signal, extraHeaders } = options
  if (signal !== undefined && !(signal instanceof AbortSignal))
    issues.push({ field: 'signal', problem: 'must be an AbortSignal' })
  issues.push(...headerIssues(extraHeaders, 'extraHeaders'))
  if (issues.length > 0)
    throw new ValidationError(
      place,
      issues.map(({ field, problem }) => ({ field: `options.${field}`, problem })),
    )
  const own = withLimits(limits, options)
  return extraHeaders ? withLimits(own, { headers: extraHeaders }) : own
}

/** Callers without types may give anything. */
function isOptions(options: CallOptions): boolean {
  return isRecord(options)
}

function withLimits(limits: Complete<Limits>, own: Limits): Complete<Limits> {
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
  return [...issues, ...headerIssues(headers, 'headers')]
}

function headerIssues(headers: Limits['headers'], option: string): InputIssue[] {
  const issues: InputIssue[] = []
  for (const [name, value] of Object.entries(headers ?? {})) {
    const field = `${option}.${name}`
    if (!HEADER_NAME.test(name)) issues.push({ field, problem: 'is not a valid header name' })
    else if (RESERVED.test(name)) issues.push({ field, problem: 'is set by the client' })
    else if (typeof value !== 'string' || !HEADER_VALUE.test(value))
      issues.push({ field, problem: 'must be text without control characters' })
  }
  return issues
}

const limitNames = 'timeoutMs deadlineMs retries headers strict maxResponseBytes'.split(' ')
const callOptionNames = [...limitNames, 'signal', 'extraQuery', 'extraBody', 'extraHeaders']
const clientOptionNames = [
  ...limitNames,
  ...'apiKey baseUrl appUrl transport allowInsecureHttp wire paths env'.split(' '),
  ...'onDrift onAttempt beforeRequest afterResponse'.split(' '),
]

/** An option that is misspelt would be without effect, and nobody would notice. */
function unknownNames(options: object, known: readonly string[]): InputIssue[] {
  return Object.keys(options)
    .filter((name) => !known.includes(name))
    .map((name) => ({ field: name, problem: `is not an option${didYouMean(name, known)}` }))
}

function hasSend(transport: unknown): boolean {
  return typeof Object(transport).send === 'function'
}

function findCredential(options: ClientOptions, env: NonNullable<ClientOptions['env']>) {
  if (typeof options.apiKey === 'function')
    return { credential: options.apiKey, keySource: 'the apiKey function' }
  if (typeof options.apiKey === 'string')
    return { credential: options.apiKey, keySource: 'the apiKey option' }
  if (options.apiKey !== undefined) {
    const given = options.apiKey === null ? 'null' : typeof options.apiKey
    throw new ConfigError(`apiKey: must be a string or a function, not ${given}`, keyHint)
  }
  for (const keySource of KEY_VARIABLES) {
    const credential = env[keySource]?.trim()
    if (credential) return { credential, keySource }
  }
  throw new ConfigError(`no API key: ${KEY_VARIABLES[0]} is not set`, keyHint)
}

function readUrl(name: string, text: string, allowInsecureHttp = false) {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:'
  // The URL itself stays out of the message: it may have a password in it.
  if (!url || !isHttp) throw new ConfigError(`${name}: must be an http or https URL`)
  if (url.username || url.password || url.search || url.hash)
    throw new ConfigError(`${name}: must not have a password, a query or a fragment`)
  const apiPath = /\/api(\/v\d+.*)?\/?$/.exec(url.pathname)?.[0]
  if (apiPath)
    throw new ConfigError(`${name}: must end before "${apiPath}", which the client adds itself`)
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
