import { constants } from 'node:fs'
import { open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isFolderSyncRefused } from './durable.ts'
import { isMomentary, isRenamed, PAUSES_MS } from './rename.ts'

/**
 * Creates a file as `writeDurable` does, without blocking this process: a slow disk must not delay other messages.
 * @throws the system error; nothing is left behind then
 */
export async function writeDurableAsync(
  path: string,
  text: string,
  tmpPath: string,
): Promise<void> {
  await writeSynced(tmpPath, text)
  try {
    await putInPlaceAsync(tmpPath, path)
  } catch (error) {
    await unlink(tmpPath).catch(() => {})
    throw error
  }
  await syncFolderAsync(dirname(path))
}

/** Writes a new file, and waits for the disk. @throws the system error; nothing is left behind then */
export async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    try {
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    await unlink(path).catch(() => {})
    throw error
  }
}

async function putInPlaceAsync(from: string, to: string): Promise<void> {
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    try {
      return await rename(from, to)
    } catch (error) {
      if (isRenamed(from, to, error)) return
      if (pauseMs === undefined || !isMomentary(error)) throw error
      await sleep(pauseMs)
    }
  }
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
