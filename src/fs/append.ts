import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorCode, HookbellError } from '../errors.ts'
import { makeFolders, syncFolderAsync } from './durable.ts'

interface Waiting {
  line: string
  resolve(): void
  reject(error: unknown): void
}

// Shared by all appends to a file, so that lines of the same moment need one fdatasync and not one each.
const queues = new Map<string, Waiting[]>()

/**
 * Appends a line to a file and resolves once it is on the disk. Lines that arrive while others
 * are being written go together: one open, one write and one fdatasync for all of them.
 * @param makesFolders whether missing folders are made; always the same for a path
 * @throws HookbellError E_SPOOL if it is not a regular file of this user, else the system error
 */
export function appendLine(
  path: string,
  line: string,
  { makesFolders = true } = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const waiting = { line, resolve, reject }
    if (queues.get(path)?.push(waiting)) return
    queues.set(path, [waiting])
    void drain(path, makesFolders)
  })
}

async function drain(path: string, makesFolders: boolean): Promise<void> {
  for (let batch = takeAll(path); batch.length > 0; batch = takeAll(path)) {
    try {
      await appendDurably(path, batch.map(({ line }) => line).join(''), makesFolders)
      for (const { resolve } of batch) resolve()
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  queues.delete(path)
}

function takeAll(path: string): Waiting[] {
  const batch = queues.get(path) ?? []
  queues.set(path, [])
  return batch
}

async function appendDurably(path: string, lines: string, makesFolders: boolean): Promise<void> {
  // Opened each time, so that lines do not go to a log that has been rotated away.
  const { handle, top } = await openLog(path, makesFolders)
  try {
    // Set again, because the umask may have removed bits.
    if (top) await handle.chmod(0o600)
    const size = await checkedSize(handle, path)
    await handle.writeFile((await endsInsideLine(handle, size)) ? `\n${lines}` : lines)
    await handle.datasync()
  } finally {
    await handle.close()
  }
  if (top) await syncFolders(dirname(path), top)
}

// A link as the last part of the path is not followed: the folder's owner could choose which file
// gets the text, and who may read it. A user who wants another file can name it.
// Opened for reading too, because otherwise opening a pipe waits for a reader.
const READ_APPEND = constants.O_RDWR | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0)

/** `top` is set if the file is new: the highest folder that got a new entry. */
async function openLog(
  path: string,
  makesFolders: boolean,
): Promise<{ handle: FileHandle; top?: string }> {
  try {
    return { handle: await open(path, READ_APPEND) }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  const firstNew = makesFolders ? makeFolders(dirname(path), 0o700) : undefined
  const handle = await open(path, READ_APPEND | constants.O_CREAT, 0o600)
  return { handle, top: dirname(firstNew ?? path) }
}

/** Refuses a file that another user has put there to read the text. */
async function checkedSize(handle: FileHandle, path: string): Promise<number> {
  const stats = await handle.stat()
  if (!stats.isFile()) throw new HookbellError('E_SPOOL', `${path} is not a regular file`)
  if (process.getuid && stats.uid !== process.getuid()) {
    throw new HookbellError('E_SPOOL', `${path} belongs to another user`)
  }
  return stats.size
}

/** Whether an earlier write was cut short, by a full disk or a crash. */
async function endsInsideLine(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() !== '\n'
}

/** Syncs the folders too, because only that makes a new name durable. */
async function syncFolders(folder: string, top: string): Promise<void> {
  // Not with the synchronous one: a disk that does not answer must not stop the other channels. Where it is refused, the
  // line is still on the disk: it must not be written again, or reported as lost, for this.
  await syncFolderAsync(folder)
  if (folder !== top) await syncFolders(dirname(folder), top)
}
