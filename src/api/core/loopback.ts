const LOCAL = /^https?:\/\/(127(\.\d+){3}|([^/]*\.)?localhost|\[::1\])(:\d+)?$/

/** Whether the origin of a URL can only mean this machine. */
export function isLocal(origin: string): boolean {
  return LOCAL.test(origin)
}
