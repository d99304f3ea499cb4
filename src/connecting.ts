import { statSync } from 'node:fs'
import type { LookupFunction } from 'node:net'
import type { SecureContext } from 'node:tls'
import { readCaFile } from './config/ca-file.ts'
import { isLoopback } from './text/loopback.ts'

const OWN_ADDRESSES = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/**
 * Finds the addresses of a host as the system does. Names that can only mean this machine are not looked up: messages
 * to them need no encryption, and a name server that answers for such a name could redirect them.
 */
export const lookupHost: LookupFunction = (hostname, options, callback) => {
  if (!isLoopback(hostname)) {
    return process.getBuiltinModule('node:dns').lookup(hostname, options, callback)
  }
  if (options.all) return callback(null, OWN_ADDRESSES)
  callback(null, '127.0.0.1', 4)
}

/** How to connect to a receiver. */
export const connecting = {
  lookup: lookupHost,
  // How long each address but the last is tried. The default of Node.js, 250 ms, is too short for every address on a
  // slow network: https://github.com/nodejs/node/issues/54359
  autoSelectFamilyAttemptTimeout: 2000,
}

/** Replaces OpenSSL's "wrong version number", which does not say what is wrong. */
export const WITHOUT_ENCRYPTION = 'it answers without encryption'

/** The message of the root cause: the errors that wrap it say less. */
export function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return innermost(error.cause)
  const first = error instanceof AggregateError ? error.errors[0] : undefined
  return first ? innermost(first) : inWords(error.message)
}

/** What OpenSSL says, without its function, file and line. */
function inWords(message: string): string {
  const fault = /:SSL routines:[^:]*:([^:\n]+)/.exec(message)?.[1]
  if (fault === 'wrong version number') return WITHOUT_ENCRYPTION
  return fault ? `TLS: ${fault}` : message
}

const certificateHints: [fault: RegExp, hint: string][] = [
  [
    /self-signed certificate|unable to (get|verify) .*certificate/,
    'If you trust that server, name the file of its authority in the configuration: extraCaFile',
  ],
  [/certificate has expired/, 'Its operator has to renew it, unless the clock here is wrong'],
  [/certificate is not yet valid/, 'Check the clock of this machine'],
  [/certificate's altnames/, 'Use a host name that its certificate lists'],
]

/** What to do about a certificate that is not accepted; undefined for any other fault. */
export function certificateHint(fault: string): string | undefined {
  return certificateHints.find(([pattern]) => pattern.test(fault))?.[1]
}

let known: { key: string; secureContext: SecureContext } | undefined

/**
 * Makes a TLS connection trust the authorities in a file besides the usual ones. Node.js itself reads such a file only at
 * the start of a process. Without effect if it cannot be read, which `hookbell status` reports.
 */
export function trusting(extraCaFile: string | undefined): { secureContext?: SecureContext } {
  if (extraCaFile === undefined) return {}
  try {
    const key = `${extraCaFile} ${statSync(extraCaFile).mtimeMs}`
    // Kept, because making it takes a tenth of a second.
    if (known?.key !== key) known = { key, secureContext: contextOf(extraCaFile) }
    return { secureContext: known.secureContext }
  } catch {
    return {}
  }
}

function contextOf(extraCaFile: string): SecureContext {
  const { createSecureContext, rootCertificates } = process.getBuiltinModule('node:tls')
  const own = readCaFile(extraCaFile)
  return createSecureContext({ ca: own === undefined ? undefined : [...rootCertificates, own] })
}
