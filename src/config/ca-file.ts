import { existsSync } from 'node:fs'
import { readQuietly } from '../fs/read.ts'

/** Why no authority of `extraCaFile` is trusted. Not part of the validation: the file can change at any time. */
export function caFileProblems({ extraCaFile }: { extraCaFile?: string | undefined }): string[] {
  if (extraCaFile === undefined) return []
  if (!existsSync(extraCaFile)) return [`extraCaFile: no file ${extraCaFile}`]
  const text = readQuietly(extraCaFile)
  return text?.includes('CERTIFICATE-----') ? [] : [`extraCaFile: no certificate in ${extraCaFile}`]
}
