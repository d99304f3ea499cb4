import ipaddr from 'ipaddr.js'

/** What an address reaches. `refused`: messages are never sent there. */
export type Reach = 'public' | 'private' | 'loopback' | 'refused'

/** Addresses in ordinary ranges at which cloud providers hand out credentials. */
const METADATA = [
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
]

/**
 * Classifies an address by what it really reaches: one that embeds an IPv4 address counts as that.
 * Text that is not a plain address is refused.
 */
export function reachOf(address: string): Reach {
  // The library reads ::127.0.0.1 as 127.0.0.1, but the network does not.
  if (/^::\d+\./.test(address)) return 'refused'
  if (!ipaddr.IPv6.isValid(address) && !ipaddr.IPv4.isValidFourPartDecimal(address)) {
    return 'refused'
  }
  const parsed = ipaddr.process(address)
  if (METADATA.includes(parsed.toString())) return 'refused'
  return parsed instanceof ipaddr.IPv4 ? reachOf4(parsed) : reachOf6(parsed)
}

function reachOf4(address: ipaddr.IPv4): Reach {
  switch (address.range()) {
    case 'unicast':
      return 'public'
    case 'loopback':
      return 'loopback'
    // Overlay networks (VPNs) use the carriers' shared range for their private addresses.
    case 'private':
    case 'carrierGradeNat':
      return 'private'
    default:
      return 'refused'
  }
}

function reachOf6(address: ipaddr.IPv6): Reach {
  switch (address.range()) {
    case 'loopback':
      return 'loopback'
    case 'uniqueLocal':
      return 'private'
    case 'rfc6052':
      return isWellKnownNat64(address) ? reachOf4(lastFour(address)) : 'refused'
    case 'unicast':
      // Nothing outside 2000::/3 is routed, but some systems may interpret ::127.0.0.1.
      return ((address.parts[0] ?? 0) & 0xe000) === 0x2000 ? 'public' : 'refused'
    default:
      return 'refused'
  }
}

/** How IPv6-only networks reach IPv4 addresses. Other (local) prefixes may embed one at any position. */
function isWellKnownNat64(address: ipaddr.IPv6): boolean {
  return address.match(ipaddr.IPv6.parseCIDR('64:ff9b::/96'))
}

function lastFour(address: ipaddr.IPv6): ipaddr.IPv4 {
  return new ipaddr.IPv4(address.toByteArray().slice(12))
}
