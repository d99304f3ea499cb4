import { join } from 'node:path'
import { privateFolder, writeDurable } from './durable.ts'
import { formatHeader, type Header } from './header.ts'
import { MAX_BODY_BYTES, spoolIn } from './layout.ts'
import { newId } from './new-id.ts'

/**
 * Stores one event. When this returns, the event survives a power cut.
 * @returns the event's id, which is also its file name
 * @throws the system error when the folder cannot take it
 */
export function acceptEvent(state: string, header: Header, body: Buffer): string {
  const spool = spoolIn(state)
  for (const folder of [join(state, 'spool'), spool.tmp, spool.new]) privateFolder(folder)
  const id = newId()
  const kept = body.subarray(0, MAX_BODY_BYTES)
  writeDurable(join(spool.new, id), [formatHeader(header), kept], join(spool.tmp, id))
  return id
}
