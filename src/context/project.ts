import { lstat } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'

/** The name of the folder that holds `.git`, else of the working folder itself; '' where there is none. */
export async function projectName(cwd: string, home: string): Promise<string> {
  if (!isAbsolute(cwd)) return ''
  if (cwd === home) return '~'
  return basename((await gitRoot(cwd)) ?? cwd)
}

async function gitRoot(cwd: string): Promise<string | undefined> {
  for (let folder = cwd, up = 0; up < 32; up += 1) {
    const stat = await lstat(join(folder, '.git')).catch(() => undefined)
    if (stat) return folder
    const parent = dirname(folder)
    if (parent === folder) return undefined
    folder = parent
  }
  return undefined
}
