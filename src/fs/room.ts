import { accessSync, constants, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from '../errors.ts'
import { isMissing } from './missing.ts'

/** Both front doors reserve as much before they read an event. */
const NEEDED_BYTES = 64 * 1024

/**
 * Why no file can be created in a folder, which may not exist yet; undefined if its disk is no obstacle.
 * @param otherwise what to return if something else is, such as its permissions
 */
export function whyNoRoom(folder: string, otherwise?: string): string | undefined {
  if (isMissing(folder) && dirname(folder) !== folder) return whyNoRoom(dirname(folder), otherwise)
  try {
    // With the dot, a file in the place of the folder is refused.
    accessSync(`${folder}/.`, constants.W_OK)
    const { blocks, bavail, bsize, files, ffree } = statfsSync(folder)
    // File systems without a limit report 0 of 0, as those of FUSE often do.
    if (blocks > 0 && bavail * bsize < NEEDED_BYTES) return 'the disk is full'
    return files > 0 && ffree === 0 ? 'the disk has no room for another file' : undefined
  } catch (error) {
    return errorCode(error) === 'EROFS' ? 'the disk is read-only' : otherwise
  }
}
