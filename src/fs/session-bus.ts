import { isAbsolute, join } from 'node:path'
import type { Env } from './home.ts'
import { ownPath } from './own-path.ts'
import { pathGate } from './path-gate.ts'

/** The address of a session's D-Bus bus, or why there is none. */
export type SessionBus = { address: string } | { why: string }

/**
 * The session bus that the variables of a session name, else that of this user. A repository can set variables for its
 * agent, so only a socket of this user counts that no other user can replace: nothing without a path, such as an abstract
 * socket, whose owner cannot be seen, or one of another machine. The address is made from what was checked.
 */
export async function sessionBus(env: Env): Promise<SessionBus> {
  const named = pathsIn(env.DBUS_SESSION_BUS_ADDRESS ?? '')
  const runtime = [env.XDG_RUNTIME_DIR ?? '']
    .filter(isAbsolute)
    .map((folder) => join(folder, 'bus'))
  for (const path of [...named, ...runtime]) {
    const found = await pathGate.run(() => ownSocket(path), undefined)
    if (found) return { address: addressOf(found) }
  }
  // The system makes this folder for the user.
  const usual = `/run/user/${process.getuid?.()}`
  const found = await ownSocket(`${usual}/bus`, usual)
  if (found) return { address: addressOf(found) }
  return {
    why: env.DBUS_SESSION_BUS_ADDRESS
      ? "this session's D-Bus session bus is no socket that only this user can have made"
      : 'this session has no D-Bus session bus',
  }
}

async function ownSocket(path: string, from?: string): Promise<string | undefined> {
  const found = await ownPath(path, from)
  return found?.stat.isSocket() ? found.path : undefined
}

/** The paths of sockets in an address, which may be a list. */
function pathsIn(address: string): string[] {
  return address.split(';').flatMap((one) => {
    const [, path] = /^unix:(?:guid=\w*,)?path=([^,]+)(?:,guid=\w*)?$/.exec(one) ?? []
    return path === undefined ? [] : decoded(path).filter(isAbsolute)
  })
}

function decoded(path: string): string[] {
  try {
    return [decodeURIComponent(path)]
  } catch {
    return []
  }
}

/** D-Bus accepts fewer characters as they are than URLs do. */
function addressOf(path: string): string {
  const escaped = Buffer.from(path)
    .toString('latin1')
    .replace(/[^\w/.-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `unix:path=${escaped}`
}
