import { closeSync, statSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { currentFile, journalFiles } from './files.ts'
import { type OpenFile, openFile } from './open-file.ts'
import { type SaveAfter, SavedTallies } from './saved-tally.ts'
import { segmentOf } from './segment.ts'
import { readStretches } from './stretches.ts'

/**
 * Adds new journal entries to the saved tallies, so that `status` and `log` need not count them. Other work can run
 * after each mebibyte. Best effort: those commands count what is missing.
 */
export class TallyKeeper {
  readonly #stateDir: string
  readonly #saved: SavedTallies
  /** How many bytes of each file are counted, by inode. */
  readonly #countedTo = new Map<number, number>()

  constructor(stateDir: string, saveAfter?: SaveAfter) {
    this.#stateDir = stateDir
    this.#saved = new SavedTallies(stateDir, saveAfter)
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
    this.#saved.forgetAllBut(inodes)
    for (const inode of this.#countedTo.keys()) {
      if (!inodes.includes(inode)) this.#countedTo.delete(inode)
    }
  }

  /** Checks only the newest file: the others change only by a rotation, after which the newest is another one. */
  #hasGrown(): boolean {
    const stat = statSync(currentFile(this.#stateDir), { throwIfNoEntry: false })
    return stat !== undefined && !this.#isCounted(stat.ino, stat.size)
  }

  #isCounted(inode: number, size: number): boolean {
    const known = this.#countedTo.get(inode)
    // A file that got shorter is another file with the same inode number.
    return known !== undefined && size >= known && !this.#saved.isWorthSaving(known, size)
  }

  async #keepOne(file: OpenFile) {
    if (!this.#countedTo.has(file.inode)) this.#countedTo.set(file.inode, 0)
    if (this.#isCounted(file.inode, file.size)) return
    const segments = this.#saved.read(file)
    const from = segments.at(-1)?.end ?? 0
    let whole = segments.length
    for (const stretch of readStretches(file.fd, from, file.size)) {
      segments.push(segmentOf(stretch))
      if (stretch.text.endsWith('\n')) whole = segments.length
      await nextTurn()
    }
    // A line without its end is still being written.
    segments.length = whole
    const to = segments.at(-1)?.end ?? 0
    if (this.#saved.isWorthSaving(from, to)) this.#saved.save(file, segments)
    this.#countedTo.set(file.inode, to)
  }
}
