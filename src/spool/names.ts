import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../errors.ts'
import { renameFile } from '../fs/rename.ts'
import type { Spool } from './layout.ts'

const MAX_EVENT_ID = 128
/** An event's id, a dot and the name of a channel. */
const MAX_DELIVERY_ID = 193

export interface ParsedName {
  /** Id of the event or of the delivery. */
  id: string
  /** How many workers crashed while they held it. */
  crashes: number
  /** A parked delivery, as JSON; otherwise an event as it was accepted. */
  isDelivery: boolean
}

/** A file name is the id, with `~n` once a worker has had the file: n counts the workers that crashed with it. */
export function parseName(name: string): ParsedName | undefined {
  const [, id, crashes = '0', suffix] =
    /^([A-Za-z0-9][A-Za-z0-9._-]{0,192}?)(?:~(\d{1,4}))?(\.json)?$/.exec(name) ?? []
  const isDelivery = suffix !== undefined
  if (!id || id.length > (isDelivery ? MAX_DELIVERY_ID : MAX_EVENT_ID)) return undefined
  return { id, crashes: Number(crashes), isDelivery }
}

/**
 * The id of the event that a file concerns, of a summary the first one. In the id of a delivery it is the part before
 * the dot.
 */
export function eventIdOf({ id, isDelivery }: ParsedName): string {
  return isDelivery ? id.replace(/\..*/, '') : id
}

/** The inverse of `parseName`. Without `crashes`, no worker has had the file. */
export function formatName(
  { id, isDelivery }: Omit<ParsedName, 'crashes'>,
  crashes?: number,
): string {
  return `${id}${crashes === undefined ? '' : `~${crashes}`}${isDelivery ? '.json' : ''}`
}

/** Whether a worker has had the file before. */
export function wasClaimed(name: string): boolean {
  return name.includes('~')
}

/** Whether the name is not valid UTF-8. Node.js lists such a file, but cannot open it by the listed name. */
export function isUnreadable(name: string): boolean {
  return name.includes('\ufffd')
}

/** Moves files whose names are not valid UTF-8 to corrupt/. */
export function setUnreadableAside(folder: string, spool: Spool, now: number) {
  let count = 0
  for (const name of readdirSync(folder, 'buffer')) {
    if (!isUnreadable(name.toString())) continue
    count += 1
    const from = Buffer.concat([Buffer.from(join(folder, '/')), name])
    renameSync(from, join(spool.corrupt, `${now}-${count}-${name.toString('hex').slice(0, 100)}`))
  }
}

/** Moves a damaged or foreign object to corrupt/. A name that the time makes too long is shortened. */
export function setAside(path: string, name: string, spool: Spool, now: number) {
  try {
    renameFile(path, join(spool.corrupt, `${now}-${name}`))
  } catch (error) {
    if (errorCode(error) !== 'ENAMETOOLONG') throw error
    renameFile(
      path,
      join(spool.corrupt, `${now}-${Buffer.from(name).toString('hex').slice(0, 100)}`),
    )
  }
}
