import { dirname } from 'node:path'
import { privateFolder, writeDurable } from '../fs/durable.ts'
import { isMissing } from '../fs/missing.ts'
import { strangerOf } from '../fs/stranger.ts'
import { formatHeader, type Header } from './header.ts'
import { MAX_BODY_BYTES } from './layout.ts'
import { newId } from './new-id.ts'

/**
 * Stores one event. When this returns, the event survives a power cut.
 * @returns the event's id, which is also its file name
 * @throws the system error when the folder cannot take it
 */
export function acceptEvent(state: string, header: Header, body: Buffer): string {
  const spool = `${state}/spool`
  // Another owner of the state folder could replace the spool during the write.
  if (strangerOf(state) !== undefined) throw new Error(`${state}: belongs to another user`)
  for (const folder of [spool, `${spool}/tmp`, `${spool}/new`]) privateFolder(folder)
  const id = newId()
  const kept = body.subarray(0, MAX_BODY_BYTES)
  const [from, to] = [`${spool}/tmp/${id}`, `${spool}/new/${id}`]
  try {
    writeDurable(to, [formatHeader(header), kept], from)
  } catch (error) {
    if (!isSalvaged(error as NodeJS.ErrnoException, from, dirname(to))) throw error
  }
  return id
}

/**
 * Whether a worker has accepted the event before this process could, such as when this process was stopped in between.
 * Nobody else removes a new file from tmp/.
 */
function isSalvaged({ syscall, code }: NodeJS.ErrnoException, from: string, folder: string) {
  return syscall === 'rename' && code === 'ENOENT' && isMissing(from) && !isMissing(folder)
}
