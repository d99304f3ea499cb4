import { parseSpoolFile } from './header.ts'
import type { readSpoolFile } from './read.ts'
import type { StoredEvent } from './store.ts'

/** The event in a file of the spool; undefined if the file is foreign, damaged or of a later version. */
export function storedIn(file: ReturnType<typeof readSpoolFile>): StoredEvent | undefined {
  const parsed = 'bytes' in file ? parseSpoolFile(file.bytes) : undefined
  return parsed && 'writtenAt' in file ? { ...parsed, at: file.writtenAt } : undefined
}
