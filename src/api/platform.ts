// What only Node.js has. In the bundle for workers, edge functions and browsers, platform-edge.ts takes its place.
import { process } from './timers.ts'

export { fileFromPath, imageFromPath } from './attachments.ts'
export { makeRotateTo } from './rotate-to.ts'
export { httpsTransport } from './transports/https.ts'
export { isUndiciUsable, undiciTransport } from './transports/undici.ts'

/** The title of an HTTP status. Loads `node:http` only for an error, so that clients start faster. */
export function statusTitle(status: number): string | undefined {
  return process?.getBuiltinModule?.('node:http')?.STATUS_CODES[status]
}
