import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from './folder.ts'

/** A script that an interpreter runs, in a new folder. Removed at the end of the test. @returns its path */
export async function makeScript(interpreter: string, mode = 0o755): Promise<string> {
  const path = join(await makeFolder(), 'ring')
  await writeFile(path, `#!${interpreter}\n`, { mode })
  return path
}
