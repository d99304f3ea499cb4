import {
  type ClientError,
  type HttpError,
  isClientError,
  type SetUserLimitsResponse,
  throwIfAnyFailed,
} from '../../api/index.ts'
import { asTyped } from '../../cli/how-to-call.ts'
import { GET_KEY } from '../../cli/key-help.ts'
import { describeError, type ErrorCode, HookbellError } from '../../errors.ts'
import { oneLine } from '../../text/clean.ts'
import type { Flag } from './flags.ts'

/**
 * Runs an API call. An error of the client becomes an error of the command: one line, a hint and the matching
 * exit code. Other errors are rethrown. Invalid inputs are named by their flags, where they have one.
 */
export async function withCommandErrors<Value>(
  command: string,
  run: () => Promise<Value>,
  flags: readonly Flag[] = [],
): Promise<Value> {
  try {
    return await run()
  } catch (error) {
    throw isClientError(error) ? toCommandError(command, error, flags) : error
  }
}

/** @throws HookbellError E_FAILED if a response of `organization.limits.setUsers` lists entries that were refused */
export function failOnPartialFailure(command: string, id: string | undefined, response: unknown) {
  if (id !== 'organization.limits.setUsers') return
  try {
    throwIfAnyFailed(response as SetUserLimitsResponse)
  } catch (cause) {
    const why = oneLine(describeError(cause))
    throw new HookbellError('E_FAILED', `${command}: ${why}`, {
      cause,
      hint: 'The limits in "updated" are set',
    })
  }
}

function toCommandError(command: string, error: ClientError, flags: readonly Flag[]) {
  const message = messageOf(command, error, flags)
  const hints = [hintOf(command, error)].filter((hint) => hint && !saysAlready(message, hint))
  if (error.outcome === 'unknown')
    hints.push('It may have been carried out all the same: look before you repeat it')
  return new HookbellError(codeOf(error), message, { cause: error, hint: hints.join('. ') })
}

function saysAlready(message: string, hint: string): boolean {
  return message.toLowerCase().includes(hint.toLowerCase())
}

function messageOf(command: string, error: ClientError, flags: readonly Flag[]): string {
  // One line, so that text of the service cannot pass for text of ours.
  if (error.kind !== 'validation') {
    const request = 'requestId' in error && error.requestId ? ` (request ${error.requestId})` : ''
    return `${command}: ${oneLine(error.message + request)}`
  }
  // Users typed flags, not names of fields.
  const lines = error.issues.map(({ field, problem }) => {
    const flag = flags.find(({ input, kind }) => input === field && kind !== 'json')
    return `${flag?.name ?? field}: ${problem}`
  })
  return `${command}: ${lines.join('; ')}`
}

const URL_HINT = 'Correct the environment variable HOOKBELL_API_BASE_URL'
const APP_URL_HINT = 'Correct the environment variable HOOKBELL_APP_BASE_URL'

function hintOf(command: string, error: ClientError): string | undefined {
  // The client's own hints for these errors are meant for programs.
  if (error.kind === 'config' && error.hint?.includes('apiKey')) return asTyped(GET_KEY)
  if (error.kind === 'config' && error.message.startsWith('baseUrl')) return URL_HINT
  if (error.kind === 'config' && error.message.startsWith('appUrl: is not set'))
    return 'Set the environment variable HOOKBELL_APP_BASE_URL as well'
  if (error.kind === 'config' && error.message.startsWith('appUrl')) return APP_URL_HINT
  if (error.hint) return forCommands(error.hint.charAt(0).toUpperCase() + error.hint.slice(1))
  if (error.kind === 'validation') return `See: hookbell ${command} --help`
  return error.kind === 'http' ? hintOfStatus(error) : undefined
}

/** The client's hints name its options. Commands take them from the environment, and have no `paths`. */
function forCommands(hint: string): string {
  return hint
    .replace('baseUrl', 'HOOKBELL_API_BASE_URL')
    .replace('appUrl', 'HOOKBELL_APP_BASE_URL')
    .replace(' and paths', '')
}

function hintOfStatus({ status, retryAt }: HttpError): string | undefined {
  if (retryAt) return `Try again after ${retryAt.toISOString()}`
  if (status === 404) return 'Check the name or ID: nothing has it, or your key may not see it'
  return status === 429 || status >= 500 ? 'Try again later' : undefined
}

function codeOf(error: ClientError): ErrorCode {
  switch (error.kind) {
    case 'config':
      return 'E_CONFIG'
    case 'validation':
      return 'E_USAGE'
    case 'decode':
      return 'E_PROTOCOL'
    case 'http':
      return codeOfStatus(error.status)
    case 'partial':
      return 'E_FAILED'
    case 'aborted':
      return 'E_INTERRUPTED'
    default:
      return 'E_UNAVAILABLE'
  }
}

function codeOfStatus(status: number): ErrorCode {
  if (status === 401 || status === 403) return 'E_PERMISSION'
  const isRefused = status >= 400 && status < 500 && status !== 429 && status !== 408
  return isRefused ? 'E_DATA' : 'E_UNAVAILABLE'
}
