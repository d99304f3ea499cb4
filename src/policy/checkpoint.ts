import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../errors.ts'
import { parseEntry } from '../journal/entry.ts'
import { currentFile } from '../journal/files.ts'
import { Memory, type MemoryState } from './memory.ts'

const FORMAT = 1
/** Of the journal, where there is no checkpoint: enough for every rule's window. */
const TAIL_BYTES = 1024 * 1024

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
 * What the policies remember from earlier workers on. Fails open: what cannot be read is not remembered, so at worst
 * something is told that could have been left out. A read that failed is made again for the next event.
 */
export class PolicyMemory {
  readonly #stateDir: string
  #memory: Memory | undefined
  #restoring: Promise<Memory> | undefined

  constructor(stateDir: string) {
    this.#stateDir = stateDir
  }

  /** What is in memory; undefined before the first `get`. */
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

  /** Best effort: without it the next worker reads more of the journal. All that was folded must be in the journal by now. */
  keep() {
    if (this.#memory) writeCheckpoint(this.#stateDir, this.#memory)
  }
}

/** The checkpoint, and what the journal has gained since. @throws the system error where the journal cannot be read */
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
    const tmpPath = `${checkpointPath(stateDir)}.${process.pid}`
    writeFileSync(tmpPath, JSON.stringify(checkpoint), { mode: 0o600 })
    renameSync(tmpPath, checkpointPath(stateDir))
  } catch {
    rmSync(`${checkpointPath(stateDir)}.${process.pid}`, { force: true })
  }
}

function readCheckpoint(stateDir: string): Checkpoint | undefined {
  try {
    const value: Checkpoint = JSON.parse(readFileSync(checkpointPath(stateDir), 'utf8'))
    return value.format === FORMAT && Object(value.state) === value.state ? value : undefined
  } catch {
    return undefined
  }
}

async function linesSince(stateDir: string, checkpoint: Checkpoint | undefined): Promise<string[]> {
  const file = await openIfThere(currentFile(stateDir))
  if (!file) return []
  try {
    const { ino, size } = await file.stat()
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
    return await open(path, 'r')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
