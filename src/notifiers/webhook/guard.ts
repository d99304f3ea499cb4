import type * as dns from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isLoopback } from '../../text/loopback.ts'
import { DeliveryError } from '../define.ts'
import { type Reach, reachOf } from './address.ts'

/** Thrown instead of connecting to an address that is not allowed. */
class RefusedAddress extends Error {
  override name = 'RefusedAddress'
  /** The URL itself contains the address, so a retry would find the same one. */
  readonly isLiteral: boolean
  readonly reach: Reach

  constructor(host: string, address: string, reach: Reach, isLiteral: boolean) {
    super(`${isLiteral ? host : `${host} is at ${address}, which`} ${reasons[reach]}`)
    this.reach = reach
    this.isLiteral = isLiteral
  }
}

const reasons: Record<Reach, string> = {
  public: 'is not in a private network, and http:// is not encrypted',
  private: 'is an address of a private network',
  loopback: 'is this machine',
  refused: 'is an address that messages are not sent to',
}

interface Rules {
  allowPrivateNetwork: boolean
  /** For tests. */
  lookup?: typeof dns.lookup
}

/**
 * Returns a lookup for one URL that finds only addresses the rules allow. The connection must use this lookup, because
 * looking up the same name again may find another address.
 * @throws RefusedAddress if the URL itself contains a refused address; the lookup passes one to its callback
 */
export function guard(target: URL, { allowPrivateNetwork, lookup = systemLookup() }: Rules) {
  const { isIP } = process.getBuiltinModule('node:net')
  const host = target.hostname.replace(/^\[|\]$/g, '')
  const isLiteral = isIP(host) !== 0
  const refusalOf = (address: string): RefusedAddress | undefined => {
    const reach = reachOf(address)
    const allowed = {
      public: target.protocol === 'https:',
      private: allowPrivateNetwork,
      // A loopback address in the URL is intended; another name might be made to resolve to one.
      loopback: allowPrivateNetwork || isLiteral || isLoopback(target.hostname),
      refused: false,
    }[reach]
    return allowed ? undefined : new RefusedAddress(host, address, reach, isLiteral)
  }
  // An address is never looked up, so it is checked here.
  const refusal = isLiteral ? refusalOf(host) : undefined
  if (refusal) throw refusal
  return { lookup: checkedLookup(lookup, refusalOf) }
}

/** Loaded on first use: loading slows the start, and most workers do not need it. */
function systemLookup(): typeof dns.lookup {
  return process.getBuiltinModule('node:dns').lookup
}

/** The verdict on a failed request if a refused address was the reason, else undefined. */
export function refusal(error: unknown): DeliveryError | undefined {
  if (!(error instanceof RefusedAddress)) return undefined
  // A name may resolve to a wrong address for a while, as behind the login page of a hotel.
  const verdict = error.isLiteral ? 'give-up' : 'retry'
  const canBeAllowed = ['private', 'loopback'].includes(error.reach)
  return new DeliveryError(verdict, `webhook: ${error.message}`, {
    hint: canBeAllowed ? 'Set allowPrivateNetwork for this channel if that is meant' : undefined,
  })
}

/** Passes on only the allowed addresses; fails if none is left. */
function checkedLookup(
  lookup: typeof dns.lookup,
  refusalOf: (address: string) => RefusedAddress | undefined,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '')
      const allowed = found.filter(({ address }) => !refusalOf(address))
      const [first] = allowed
      const [refused] = found.map(({ address }) => refusalOf(address))
      if (!first) return callback(refused ?? new Error(`${hostname} has no address`), '')
      if (options.all) return callback(null, allowed)
      callback(null, first.address, first.family)
    })
  }
}
