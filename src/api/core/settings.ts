import { addIssue, ConfigError, type InputIssue, invalid, throwIfAny } from '../errors.ts'
import type { Host } from '../operation.ts'
import { isRecord, lowerCased, variablesOf } from '../record.ts'
import { isLocal } from '../transport.ts'
import { didYouMean } from '../validation/suggest.ts'
import { version } from '../version.ts'
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
  /** URL of each host: its origin, and the prefix of all paths. `app` is undefined if no URL of it is known. */
  hosts: Readonly<Record<Host, { origin: string; prefix: string } | undefined>>
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
  retryRejected: false,
  headers: { accept: 'application/json', 'user-agent': `hookbell/${version}` },
  strict: false,
  maxResponseBytes: 64 * 1024 * 1024,
}

const limitNames = Object.keys(defaults) as (keyof Limits)[]
const optionNames = [
  ...limitNames,
  ...(
    'apiKey baseUrl appUrl transport allowInsecureHttp wire paths env ' +
    'onDrift onAttempt beforeRequest afterResponse'
  ).split(' '),
]
const callOptionNames = [...limitNames, ...'signal extraQuery extraBody extraHeaders'.split(' ')]

/**
 * Completes the options from the environment.
 * @throws {ConfigError} if an option is invalid, or there is no key, or it would go over plain http to another machine
 */
export function resolveSettings(options: ClientOptions): Settings {
  refuseAny(limitIssues(options, optionNames))
  const { transport = 'https', allowInsecureHttp } = options
  if (
    !/^(undici|https|fetch)$/.test(String(transport)) &&
    typeof Object(transport).send !== 'function'
  )
    throw new ConfigError('transport: must be undici, https, fetch, or an object with send')
  const env = variablesOf(options)
  const baseUrl = options.baseUrl ?? (env.HOOKBELL_API_BASE_URL || API_URL)
  const base = readUrl('baseUrl', baseUrl, allowInsecureHttp)
  // With a custom baseUrl, appUrl has no default: the key must not go to the public application.
  const publicApp = base.origin + base.prefix === API_URL ? APP_URL : undefined
  const appUrl = options.appUrl ?? (env.HOOKBELL_APP_BASE_URL || publicApp)
  const app = appUrl === undefined ? appUrl : readUrl('appUrl', appUrl, allowInsecureHttp)
  const hosts = { base, app }
  return { ...findCredential(options, env), hosts, limits: withLimits(defaults, options) }
}

/**
 * The limits of one call: its own, else those of the client.
 * @throws {ValidationError} naming the option that is wrong
 */
export function resolveLimits(place: string, limits: Settings['limits'], options: CallOptions) {
  if (options === noOptions) return limits
  if (!isRecord(options)) throw invalid(place, 'options', 'must be an object')
  const issues = limitIssues(options, callOptionNames, 'options.')
  const { signal, extraHeaders } = options as CallOptions
  if (signal !== undefined && !(signal instanceof AbortSignal))
    addIssue(issues, 'options.signal', 'must be an AbortSignal')
  checkHeaders(extraHeaders, 'options.extraHeaders', issues)
  throwIfAny(place, issues)
  return withLimits(withLimits(limits, options), { headers: extraHeaders })
}

/**
 * Headers that a hook adds to a request, by name in lower case.
 * @throws {ConfigError} naming the one that is malformed. Its value may be a secret, and transports quote it.
 */
export function resolveAddedHeaders(hook: string, headers: object) {
  const issues: InputIssue[] = []
  checkHeaders(headers, hook, issues)
  refuseAny(issues)
  return lowerCased(headers)
}

function refuseAny([issue]: readonly InputIssue[]) {
  if (issue) throw new ConfigError(`${issue.field}: ${issue.problem}`)
}

/** The longest string of Node.js: 512 MiB. A longer response cannot be read. */
const LONGEST_TEXT = 2 ** 29 - 24

/** Spreads, then assigns by name: objects made with `Object.fromEntries` are slow, and every call reads this one. */
function withLimits(limits: Complete<Limits>, own: Limits): Complete<Limits> {
  const merged: { [name: string]: unknown } = { ...limits }
  for (const name of limitNames) merged[name] = own[name] ?? limits[name]
  if (own.headers) merged.headers = { ...limits.headers, ...lowerCased(own.headers) }
  merged.maxResponseBytes = Math.floor(Math.min(merged.maxResponseBytes as number, LONGEST_TEXT))
  return merged as unknown as Complete<Limits>
}

/** Headers that the client sets, or that frame a request. */
export const RESERVED =
  /^(authorization|connection|content-(length|type)|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

function limitIssues(limits: Limits, known: readonly string[], before = ''): InputIssue[] {
  const issues: InputIssue[] = []
  const { retries = 0, headers, ...others } = limits
  for (const [field, value] of Object.entries(others)) {
    // A misspelt option would silently have no effect.
    if (!known.includes(field))
      addIssue(issues, before + field, `is not an option${didYouMean(field, known)}`)
    else if (
      /(Ms|Bytes)$/.test(field) &&
      value !== undefined &&
      !(typeof value === 'number' && value > 0)
    )
      addIssue(issues, before + field, 'must be a number above 0')
  }
  if (!Number.isInteger(retries) || retries < 0)
    addIssue(issues, `${before}retries`, 'must be a whole number, 0 or more')
  checkHeaders(headers, `${before}headers`, issues)
  return issues
}

function checkHeaders(headers: object = {}, option: string, issues: InputIssue[]) {
  // Also `Headers` and `Map`, which would be taken for empty.
  if (!isRecord(headers)) return addIssue(issues, option, 'must be an object')
  for (const [name, value] of Object.entries(headers)) {
    const field = `${option}.${name}`
    if (!HEADER_NAME.test(name)) addIssue(issues, field, 'is not a valid header name')
    else if (RESERVED.test(name)) addIssue(issues, field, 'is set by the client')
    else if (typeof value !== 'string' || !HEADER_VALUE.test(value))
      addIssue(issues, field, 'must be text without control characters')
  }
}

function findCredential({ apiKey }: ClientOptions, env: NonNullable<ClientOptions['env']>) {
  const given = apiKey === null ? apiKey : typeof apiKey
  if (typeof apiKey === 'function' || typeof apiKey === 'string') {
    const kind = given === 'string' ? 'option' : given
    return { credential: apiKey, keySource: `the apiKey ${kind}` }
  }
  if (apiKey !== undefined) {
    throw new ConfigError(`apiKey: must be a string or a function, not ${given}`, keyHint)
  }
  const keySource = KEY_VARIABLES.find((name) => env[name]?.trim())
  if (!keySource) throw new ConfigError(`no API key: ${KEY_VARIABLES[0]} is not set`, keyHint)
  return { credential: env[keySource] ?? '', keySource }
}

function readUrl(name: string, text: string, allowInsecureHttp?: boolean) {
  const fail = (problem: string, hint?: string) => new ConfigError(`${name}: ${problem}`, { hint })
  // The URL itself stays out of the message: it may have a password in it.
  const { protocol, username, password, search, hash, pathname, hostname, origin } = new URL(
    URL.canParse(text) ? text : 'none:',
  )
  if (!/^https?:$/.test(protocol)) throw fail('must be an http or https URL')
  if (username || password || search || hash)
    throw fail('must not have a password, a query or a fragment')
  const [apiPath] = /\/api(\/v\d+.*)?\/?$/.exec(pathname) ?? []
  if (apiPath) throw fail(`must end before "${apiPath}", which the client adds itself`)
  if (protocol === 'http:' && !isLocal(origin) && !allowInsecureHttp)
    throw fail(
      `the key would go over plain http to ${hostname}`,
      'use https, or set allowInsecureHttp if the network is your own',
    )
  return { origin, prefix: pathname.replace(/\/+$/, '') }
}

/**
 * The key for the next attempt.
 * @throws {ConfigError} if the `apiKey` function fails, or the key is empty or malformed
 */
export async function nextKey({ credential, keySource }: Settings): Promise<string> {
  let given: unknown = credential
  try {
    if (typeof credential === 'function') given = await credential()
  } catch (cause) {
    throw new ConfigError(`${keySource} failed`, { cause })
  }
  const key = typeof given === 'string' ? given.trim() : ''
  if (/^[\x21-\x7e]+$/.test(key)) return key
  if (/^bearer\s/i.test(key))
    throw new ConfigError(`${keySource} begins with "Bearer "`, {
      hint: 'leave "Bearer " out: the client adds it',
    })
  const problem = key === '' ? 'gave no key' : 'gave a key with a space or a forbidden character'
  throw new ConfigError(`${keySource} ${problem}`, keyHint)
}
