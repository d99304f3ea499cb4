import { lstatSync } from 'node:fs'
import { fallbackFolders } from '../config/pinned.ts'
import { acceptEvent, type Header } from '../spool/event-file.ts'

/** An event that survives a power cut. */
export interface StoredEvent {
  id: string
  /** The folder with the spool that keeps it: the state folder, or its fallback folder. */
  root: string
}

/** Stores an event in the state folder, or in its fallback folder if that fails. @returns undefined if both fail */
export function storeEvent(state: string, header: Header, body: Buffer): StoredEvent | undefined {
  for (const folder of [() => state, () => fallbackOf(state)]) {
    try {
      const root = folder()
      return { id: acceptEvent(root, header, body), root }
    } catch {
      // The folder is full, read-only or not ours: try the next one.
    }
  }
  return undefined
}

/** @throws for a link: in a shared runtime folder, another user may have put it there */
function fallbackOf(state: string): string {
  const [folder = ''] = fallbackFolders(state)
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error('a link')
  return folder
}
