import { join } from 'node:path'
import { readQuietly } from '../../fs/read.ts'

/** Which problem of the configuration was told last, as a state folder or a fallback folder keeps it. */
export interface Told {
  /** Hash of the problem; '' if the configuration was right. */
  hash: string
  /** Ids of the events that reported it and earlier problems, the latest first: they may still be shown, or wait. */
  ids: readonly string[]
}

export function toldPath(folder: string): string {
  return join(folder, 'config-problem-told')
}

export function readTold(folder: string): Told {
  const [hash = '', ...ids] = (readQuietly(toldPath(folder)) ?? '').split(' ')
  return { hash, ids: ids.filter(Boolean) }
}
