import { lstat, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { Env } from './home.ts'

/** With `path` before other keys, as all programs write it. The owner of an abstract socket cannot be seen. */
const ADDRESS = /^unix:(?:path=(?<path>[^,]+)|abstract=[^,]+)(?:,guid=\w+)?$/

/**
 * The address of a session's D-Bus bus, as its variables say. Only a socket of this user counts, and nothing of another
 * machine: a repository can set variables for its agent, and in a shared folder anybody may have made a socket.
 */
export async function sessionBus(env: Env): Promise<string | undefined> {
  for (const address of env.DBUS_SESSION_BUS_ADDRESS?.split(';') ?? []) {
    const found = ADDRESS.exec(address)
    const path = found?.groups?.path
    if (found && (path === undefined || (await isOwnSocket(decoded(path))))) return address
  }
  const folders = [env.XDG_RUNTIME_DIR ?? '', `/run/user/${process.getuid?.()}`]
  for (const folder of folders.filter(isAbsolute)) {
    const path = join(folder, 'bus')
    if (await isOwnSocket(path))
      return `unix:path=${path.split('/').map(encodeURIComponent).join('/')}`
  }
  return undefined
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return ''
  }
}

/** Whether it is a socket of this user. A link, as in a sandbox of Flatpak, must be of this user too. */
async function isOwnSocket(path: string): Promise<boolean> {
  const found = await Promise.all([lstat(path), stat(path)]).catch(() => [])
  const isOwn = found.every(({ uid }) => uid === process.getuid?.())
  return isOwn && found[1]?.isSocket() === true
}
