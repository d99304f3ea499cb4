import { readSync, statSync } from 'node:fs'
import { currentFile, journalFiles, openEventsFile } from './files.ts'
import { closeFiles, type OpenFile, openFiles } from './open-file.ts'
import { visitLines } from './read.ts'

const BEFORE_BYTES = 64

/** How far a journal was read. */
export interface Position {
  inode: number
  offset: number
  /** The bytes before it, to recognize another file that has the same inode number. */
  before: string
}

interface Visitor {
  line(line: string): void
  /** Called before the lines of the next file. */
  nextFile?(): void
  /** Called if the position is in none of the files: all of them are read. */
  restart?(): void
}

/** Reads what the journal has gained since a position, also across rotations. */
export class JournalReader {
  readonly #stateDir: string
  #position: Position | undefined
  /** The newest file when it was read last. */
  #stamp: string | undefined

  /** @param position where another reader has ended. Absent: the start of the journal */
  constructor(stateDir: string, position?: Position) {
    this.#stateDir = stateDir
    this.#position = position
  }

  /** Behind the last line that was read. */
  get position(): Position | undefined {
    return this.#position
  }

  /** Passes over everything that the journal has by now. */
  skip() {
    withFiles(journalFiles(this.#stateDir), (files) => {
      const last = files.at(-1)
      if (last) this.#position = positionIn(last, last.size)
    })
  }

  /** @throws if a file exists and cannot be read: a person must not be told that the journal is empty */
  read(visitor: Visitor) {
    const stamp = stampOf(currentFile(this.#stateDir))
    if (stamp !== undefined && stamp === this.#stamp) return
    this.#stamp = undefined
    this.#readNew(visitor)
    this.#stamp = stamp
  }

  #readNew(visitor: Visitor) {
    // Mostly only the newest file has grown.
    const newest = currentFile(this.#stateDir)
    if (this.#position && withFiles([newest], (files) => this.#readFrom(files, visitor))) return
    withFiles(journalFiles(this.#stateDir), (files) => {
      if (this.#readFrom(files, visitor)) return
      if (this.#position) visitor.restart?.()
      this.#readFiles(files, 0, visitor)
    })
  }

  /** @returns false if the position is in none of the files */
  #readFrom(files: readonly OpenFile[], visitor: Visitor): boolean {
    const { offset = 0 } = this.#position ?? {}
    const index = files.findIndex((file) => isIn(file, this.#position))
    if (index >= 0) this.#readFiles(files.slice(index), offset, visitor)
    return index >= 0
  }

  #readFiles(files: readonly OpenFile[], offset: number, visitor: Visitor) {
    for (const [index, file] of files.entries()) {
      // What is kept of removed files belongs to the oldest one that is left.
      if (index > 0 && files[index - 1]?.path !== openEventsFile(this.#stateDir))
        visitor.nextFile?.()
      this.#readFile(file, index === 0 ? offset : 0, index === files.length - 1, visitor)
    }
  }

  #readFile(file: OpenFile, from: number, isNewest: boolean, { line: visit }: Visitor) {
    let offset = from
    try {
      const rest = visitLines(file, from, (line, end) => {
        offset = end
        visit(line)
      })
      if (rest === '' || isNewest) return
      offset = file.size
      visit(rest)
    } finally {
      this.#position = positionIn(file, offset)
    }
  }
}

/** Changes with each change of the file. Only the newest one grows. */
function stampOf(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat && `${stat.ino} ${stat.size} ${stat.ctimeMs}`
}

function withFiles<Result>(
  paths: readonly string[],
  work: (files: readonly OpenFile[]) => Result,
): Result {
  const files = openFiles(paths)
  try {
    return work(files)
  } finally {
    closeFiles(files)
  }
}

function isIn(file: OpenFile, position: Position | undefined): boolean {
  if (file.inode !== position?.inode || file.size < position.offset) return false
  return positionIn(file, position.offset).before === position.before
}

function positionIn({ fd, inode }: OpenFile, offset: number): Position {
  const bytes = Buffer.alloc(Math.min(BEFORE_BYTES, offset))
  readSync(fd, bytes, 0, bytes.length, offset - bytes.length)
  return { inode, offset, before: bytes.toString('latin1') }
}
