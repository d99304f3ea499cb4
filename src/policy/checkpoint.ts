import { constants, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../errors.ts'
import { replaceUnsynced } from '../fs/durable.ts'
import { readQuietly } from '../fs/read.ts'
import { parseEntry } from '../journal/entry.ts'
import { currentFile } from '../journal/files.ts'
import { notAFile } from '../journal/open-file.ts'
import { Memory, type MemoryState } from './memory.ts'

const FORMAT = 4
/** How much of the journal's end is read at most: enough for the time window of every rule. */
const TAIL_BYTES = 1024 * 1024
const MAX_BYTES = 64 * 1024 * 1024

interface Checkpoint {
  format: number
  /** Which journal file, and how far it was read. */
  inode: number
  offset: number
  state: MemoryState
}

function checkpointPath(stateDir: string): string {
  return join(stateDir, 'policy-memory.json')
}

/**
 * The memory of the policies, across workers. Fails open: what cannot be read is not remembered, so at worst an
 * unneeded message is sent. A failed read is retried for the next event.
 */
export class PolicyMemory {
  readonly #stateDir: string
  #memory: Memory | undefined
  #restoring: Promise<Memory> | undefined

  constructor(stateDir: string) {
    this.#stateDir = stateDir
  }

  /** The memory if it is loaded; undefined before the first successful `get`. */
  get current(): Memory | undefined {
    return this.#memory
  }

  async get(): Promise<Memory> {
    if (this.#memory) return this.#memory
    this.#restoring ??= restoreMemory(this.#stateDir)
    try {
      this.#memory ??= await this.#restoring
    } catch {
      this.#restoring = undefined
      return new Memory(readCheckpoint(this.#stateDir)?.state)
    }
    return this.#memory
  }

  /**
   * Writes a checkpoint. All entries folded so far must be in the journal. Best effort: without the checkpoint, the
   * next worker reads more of the journal.
   */
  keep() {
    if (this.#memory) writeCheckpoint(this.#stateDir, this.#memory)
  }
}

/** Folds the entries added since the checkpoint into it. @throws the system error if the journal cannot be read */
async function restoreMemory(stateDir: string): Promise<Memory> {
  const checkpoint = readCheckpoint(stateDir)
  const memory = new Memory(checkpoint?.state)
  for (const line of await linesSince(stateDir, checkpoint)) {
    const entry = parseEntry(line)
    if (entry) memory.fold(entry)
  }
  return memory
}

function writeCheckpoint(stateDir: string, memory: Memory) {
  try {
    const { ino, size } = statSync(currentFile(stateDir))
    const checkpoint: Checkpoint = { format: FORMAT, inode: ino, offset: size, state: memory.state }
    replaceUnsynced(checkpointPath(stateDir), JSON.stringify(checkpoint))
  } catch {
    // The next start folds the journal from the checkpoint before this one.
  }
}

function readCheckpoint(stateDir: string): Checkpoint | undefined {
  try {
    const value: Checkpoint = JSON.parse(readQuietly(checkpointPath(stateDir), MAX_BYTES) ?? '')
    return value.format === FORMAT && Object(value.state) === value.state ? value : undefined
  } catch {
    return undefined
  }
}

async function linesSince(stateDir: string, checkpoint: Checkpoint | undefined): Promise<string[]> {
  const file = await openIfThere(currentFile(stateDir))
  if (!file) return []
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw notAFile(currentFile(stateDir))
    const { ino, size } = stat
    // After a rotation the file is a new one: all of it is later than the checkpoint.
    const known = checkpoint?.inode === ino ? checkpoint.offset : 0
    const start = Math.max(known, size - TAIL_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.max(0, size - start)), {
      position: start,
    })
    return buffer.toString('utf8', 0, bytesRead).split('\n')
  } finally {
    await file.close()
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    // Opening a pipe would wait for a writer.
    return await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
