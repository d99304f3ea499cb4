/** An owner of whom nothing is known has this long to show that it lives, by touching what it owns. */
export const LEASE_MS = 5 * 60 * 1000
/** How often an owner does so. Must stay well below LEASE_MS. */
export const HEARTBEAT_MS = 60 * 1000
