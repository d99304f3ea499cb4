import { closeSync, statSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { currentFile, journalFiles } from './files.ts'
import { type OpenFile, openFile } from './open-file.ts'
import { forgetTalliesBut, readSavedTally, SAVE_AFTER_BYTES, saveTally } from './saved-tally.ts'
import { segmentOf } from './segment.ts'
import { readStretches } from './stretches.ts'

/**
 * Counts what the journal has gained, so that `status` and `log` need not. Between two mebibytes other work goes on.
 * Best effort: what is not counted here is counted there.
 */
export class TallyKeeper {
  readonly #stateDir: string
  readonly #saveAfterBytes: number
  /** How far each file is counted, by its number. */
  readonly #countedTo = new Map<number, number>()

  constructor(stateDir: string, saveAfterBytes = SAVE_AFTER_BYTES) {
    this.#stateDir = stateDir
    this.#saveAfterBytes = saveAfterBytes
  }

  async keep() {
    if (!this.#hasGrown()) return
    const inodes: number[] = []
    for (const path of journalFiles(this.#stateDir)) {
      const file = openFile(path)
      if (!file) continue
      inodes.push(file.inode)
      try {
        await this.#keepOne(file)
      } finally {
        closeSync(file.fd)
      }
    }
    forgetTalliesBut(this.#stateDir, inodes)
    for (const inode of this.#countedTo.keys()) {
      if (!inodes.includes(inode)) this.#countedTo.delete(inode)
    }
  }

  /** A look at the newest file is enough: the others change only when it is another one. */
  #hasGrown(): boolean {
    const stat = statSync(currentFile(this.#stateDir), { throwIfNoEntry: false })
    return stat !== undefined && !this.#isCounted(stat.ino, stat.size)
  }

  #isCounted(inode: number, size: number): boolean {
    const known = this.#countedTo.get(inode)
    // A file that got shorter is another one.
    return known !== undefined && size >= known && size - known <= this.#saveAfterBytes
  }

  async #keepOne(file: OpenFile) {
    if (!this.#countedTo.has(file.inode)) this.#countedTo.set(file.inode, 0)
    if (this.#isCounted(file.inode, file.size)) return
    const segments = readSavedTally(this.#stateDir, file)
    const from = segments.at(-1)?.end ?? 0
    for (const stretch of readStretches(file.fd, from, file.size)) {
      // The rest is being written.
      if (stretch.text.endsWith('\n')) segments.push(segmentOf(stretch))
      await nextTurn()
    }
    const to = segments.at(-1)?.end ?? 0
    // What is read in no time is not worth a file.
    if (to - from > this.#saveAfterBytes) saveTally(this.#stateDir, file, segments)
    this.#countedTo.set(file.inode, to)
  }
}
