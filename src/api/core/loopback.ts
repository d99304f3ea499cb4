/** Whether a host name of a URL can only mean this machine. */
export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]')
    return true
  return /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

const known = new Map<string, boolean>()

/** The same for an origin. Remembered, since every request asks and a client has two of them. */
export function isLocal(origin: string): boolean {
  let isLocalhost = known.get(origin)
  if (isLocalhost === undefined) {
    isLocalhost = isLoopback(new URL(origin).hostname)
    known.set(origin, isLocalhost)
  }
  return isLocalhost
}
