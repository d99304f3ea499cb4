/** An owner whose process cannot be seen loses what it owns after this long, unless it touches it. */
export const LEASE_MS = 5 * 60 * 1000
/** How often an owner touches what it owns. Must stay well below LEASE_MS. */
export const HEARTBEAT_MS = 60 * 1000
