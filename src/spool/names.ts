import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '../errors.ts'
import { renameFile } from '../fs/durable.ts'
import type { Spool } from './layout.ts'

let lastAt = 0

const MAX_EVENT_ID = 128

export interface ParsedName {
  /** Id of the event. */
  id: string
  /** How many workers crashed while they held it. */
  crashes: number
  /** What is open of the event, as JSON; otherwise the event as it was accepted. */
  isCard: boolean
}

/** A file name is the id, with `~n` once a worker has had the file: n counts the workers that crashed with it. */
export function parseName(name: string): ParsedName | undefined {
  const [, id, crashes = '0', suffix] =
    /^([A-Za-z0-9][A-Za-z0-9._-]*?)(?:~(\d{1,4}))?(\.json)?$/.exec(name) ?? []
  if (!id || id.length > MAX_EVENT_ID) return undefined
  return { id, crashes: Number(crashes), isCard: suffix !== undefined }
}

/** The inverse of `parseName`. Without `crashes`, no worker has had the file. */
export function formatName({ id, isCard }: Omit<ParsedName, 'crashes'>, crashes?: number): string {
  return `${id}${crashes === undefined ? '' : `~${crashes}`}${isCard ? '.json' : ''}`
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

/**
 * A unique event id, greater than earlier ones of this process. It is not a secret, so Math.random will do: loading
 * node:crypto would cost the agent 4 ms.
 */
export function newId(): string {
  lastAt = Math.max(Date.now(), lastAt + 1)
  const random = () => Math.random().toString(36).slice(2, 13).padEnd(11, '0')
  return `${lastAt.toString(36)}-${process.pid}-${random()}${random()}`
}
