import { existsSync } from 'node:fs'
import { readQuietly } from '../fs/read.ts'

/** The largest known bundles take a few hundred KiB. */
const MAX_BYTES = 16 * 1024 * 1024

/** The certificates in a file; undefined if it cannot be read. A named pipe in its place does not block. */
export function readCaFile(path: string): string | undefined {
  return readQuietly(path, MAX_BYTES)
}

/** Why no authority of `extraCaFile` is trusted. Not part of the validation: the file can change at any time. */
export function caFileProblems({ extraCaFile }: { extraCaFile?: string | undefined }): string[] {
  if (extraCaFile === undefined) return []
  if (!existsSync(extraCaFile)) return [`extraCaFile: no file ${extraCaFile}`]
  const hasOne = readCaFile(extraCaFile)?.includes('CERTIFICATE-----')
  return hasOne ? [] : [`extraCaFile: no certificate in ${extraCaFile}`]
}
