import type { LookupFunction } from 'node:net'
import { isLoopback } from './text/loopback.ts'

const OWN_ADDRESSES = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/**
 * Finds the addresses of a host as the system does. Names that can only mean this machine are not looked up: messages to
 * them need no encryption, and a network that answers for such a name would get them.
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
  // For each address but the last. With the quarter second of Node.js they would all fail over a slow network.
  autoSelectFamilyAttemptTimeout: 2000,
}
