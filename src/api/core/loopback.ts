/** Whether a host name of a URL can only mean this machine. */
export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]')
    return true
  return /^127\.\d+\.\d+\.\d+$/.test(hostname)
}
