import * as dns from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, fetch } from 'undici'
import { isLoopback } from '../text/loopback.ts'
import { type Reach, reachOf } from './_address.ts'
import { DeliveryError } from './define.ts'

/** A connection that was not made. */
class RefusedAddress extends Error {
  override name = 'RefusedAddress'
  /** The URL itself has the address, so that it will be the same tomorrow. */
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
 * Returns a fetch for one URL that connects only where the rules allow it. Each address is checked
 * when it is connected to: a name that is asked twice may have two answers.
 */
export function makeGuardedFetch(target: URL, { allowPrivateNetwork, lookup = dns.lookup }: Rules) {
  const host = target.hostname.replace(/^\[|\]$/g, '')
  const isLiteral = isIP(host) !== 0
  const refusalOf = (address: string): RefusedAddress | undefined => {
    const reach = reachOf(address)
    const allowed = {
      public: target.protocol === 'https:',
      private: allowPrivateNetwork,
      // Whoever writes it means this machine; a name elsewhere may come to mean it.
      loopback: allowPrivateNetwork || isLiteral || isLoopback(target.hostname),
      refused: false,
    }[reach]
    return allowed ? undefined : new RefusedAddress(host, address, reach, isLiteral)
  }
  const agent = new Agent({ connect: { lookup: checkedLookup(lookup, refusalOf) } })
  return {
    fetch: guard(async (url, init) => {
      const refusal = isLiteral ? refusalOf(host) : undefined
      if (refusal) throw refusal
      return fetch(url, { ...init, redirect: 'manual', dispatcher: agent })
    }),
    close: () => agent.destroy(),
  }
}

/** The verdict on an error of such a fetch, where an address was the reason. */
export function refusal(error: unknown): DeliveryError | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  const refused = [error, cause].find((one) => one instanceof RefusedAddress)
  if (!refused) return undefined
  // What a name means may be wrong for a while, as behind the login page of a hotel.
  const verdict = refused.isLiteral ? 'give-up' : 'retry'
  const canBeAllowed = ['private', 'loopback'].includes(refused.reach)
  const hint = { hint: 'Set allowPrivateNetwork for this channel if that is meant' }
  return new DeliveryError(verdict, `webhook: ${refused.message}`, canBeAllowed ? hint : {})
}

/** undici's types and those of the platform describe the same objects, but not by the same names. */
function guard(send: (url: string, init: Parameters<typeof fetch>[1]) => Promise<unknown>) {
  return ((url: string, init?: object) => send(url, init)) as typeof globalThis.fetch
}

/** Only allowed addresses are handed on; it fails where none is left. */
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
