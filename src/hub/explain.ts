import { errorCode } from '../errors.ts'
import { oneLine } from '../text/clean.ts'
import { RedisError } from './resp.ts'

/** Messages for the error codes of Redis. Its own text is not repeated, because it names commands and keys. */
const refusals = new Map([
  ['OOM', 'the hub is full: its Redis has reached maxmemory'],
  ['NOPERM', 'the user of the hub may not do that; see: hookbell hub acl'],
  ['WRONGPASS', 'the hub refuses the user or the password'],
  ['NOAUTH', 'the hub asks for a password: set "password" of "hub"'],
  ['LOADING', 'the Redis of the hub has just started and reads its data'],
  ['READONLY', 'the URL leads to a replica, which takes nothing'],
  ['MISCONF', 'the Redis of the hub cannot write to its disk'],
  ['MASTERDOWN', 'the URL leads to a replica without its primary'],
  ['WRONGTYPE', 'the hub takes nothing now: its Redis is almost full'],
])

/** Why a server that is there does not answer to TLS. */
export const WITHOUT_TLS = 'it does not speak TLS: redis:// or another port?'

const NOT_TRUSTED = 'its certificate is not trusted: set "ca" to the file of its authority'

const failures = new Map([
  ['ECONNREFUSED', 'nobody listens there'],
  ['ENOTFOUND', 'no such host'],
  ['EAI_AGAIN', 'the name cannot be looked up now'],
  ['ETIMEDOUT', 'no answer'],
  ['EHOSTUNREACH', 'no route to that host'],
  ['ENETUNREACH', 'the network is unreachable'],
  ['ECONNRESET', 'the connection was cut'],
  ['EPIPE', 'the connection was cut'],
  ['ENOENT', 'the file of "ca" is not there'],
  ['EACCES', 'the file of "ca" cannot be read by this user'],
  ['EISDIR', '"ca" is a folder, not a file'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['CERT_NOT_YET_VALID', 'its certificate is not valid yet: is the clock of this machine right?'],
  // The default of Redis with TLS.
  [
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    'Redis asks for a certificate of ours: set "tls-auth-clients no" there',
  ],
  ['SELF_SIGNED_CERT_IN_CHAIN', NOT_TRUSTED],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', NOT_TRUSTED],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', NOT_TRUSTED],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', NOT_TRUSTED],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name'],
])

/** Explains in one line without secrets why the hub accepted nothing. */
export function explainFailure(error: unknown): string {
  if (/^ERR max number of clients/.test(String(Object(error).message)))
    return 'the Redis of the hub has no connection left: see its maxclients'
  if (error instanceof RedisError) return refusals.get(error.code) ?? `the hub said ${error.code}`
  const [first] = error instanceof AggregateError ? error.errors : [error]
  // Errors of ioredis have no `code` for an error reply of Redis: the message begins with it.
  const refusal =
    first instanceof Error && refusals.get(/^[A-Z]+(?= )/.exec(first.message)?.[0] ?? '')
  if (refusal) return refusal
  const code = errorCode(first) ?? ''
  const known = failures.get(code)
  if (known !== undefined) return known
  if (/wrong version number|packet length/i.test(String(first))) return WITHOUT_TLS
  return oneLine(code || (first instanceof Error ? first.message : 'no connection'))
}
