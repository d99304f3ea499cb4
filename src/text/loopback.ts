/** Whether a host name, with or without a port, can only mean this machine, in any spelling that a URL may have: `127.1`, `[::1]`. */
export function isLoopback(hostname: string): boolean {
  // Parsed as http, because URLs of other schemes keep the original spelling of the host.
  const url = `http://${hostname}`
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return (
    /^(.+\.)?localhost$/.test(host) ||
    /^127\.\d+\.\d+\.\d+$/.test(host) ||
    /^\[::(1|ffff:7f[\da-f]{2}:[\da-f]{1,4})\]$/.test(host)
  )
}
