import { constants } from 'node:fs'
import { open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isFolderSyncRefused } from './durable.ts'

/**
 * Creates a file as `writeDurable` does, without blocking this process: a slow disk must not delay other messages.
 * @throws the system error; nothing is left behind then
 */
export async function writeDurableAsync(
  path: string,
  text: string,
  tmpPath: string,
): Promise<void> {
  const file = await open(tmpPath, 'wx', 0o600)
  try {
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(tmpPath, path)
  } catch (error) {
    await unlink(tmpPath).catch(() => {})
    throw error
  }
  await syncFolderAsync(dirname(path))
}

/** Makes the renames in a folder survive a power cut, as far as the system can sync folders. */
export async function syncFolderAsync(path: string): Promise<void> {
  try {
    const folder = await open(path, constants.O_RDONLY)
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch (error) {
    if (!isFolderSyncRefused(error)) throw error
  }
}
