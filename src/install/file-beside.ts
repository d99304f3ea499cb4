import { spawnSync } from 'node:child_process'
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../errors.ts'
import { listQuietly } from '../fs/read.ts'
import type { SettingsOnDisk } from './file.ts'

/** Longer than any edit takes. */
const LEFT_AFTER_MS = 60_000

/** The file that is to replace a settings file: in the same folder, so that a rename suffices. */
export class FileBeside {
  #path = ''
  #isFor = ''

  /**
   * Creates it, empty, unless it exists for this settings file.
   * @returns true if that took so long that the settings have to be read again: their attributes were copied
   */
  prepare(old: SettingsOnDisk): boolean {
    const isNew = old.hash === undefined
    const isFor = `${isNew} ${old.realPath}`
    if (this.#isFor === isFor) return false
    this.remove()
    const { randomBytes } = process.getBuiltinModule('node:crypto')
    const folder = dirname(old.realPath)
    const start = `.${basename(old.realPath)}.hookbell-`
    removeLeft(folder, start)
    const path = join(folder, `${start}${process.pid}-${randomBytes(6).toString('hex')}`)
    // A new file gets the mode that an editor would give it: nothing in it is secret, and the client
    // and the person expect to share it as they share the rest.
    closeSync(openSync(path, 'wx', isNew ? 0o666 : 0o600))
    this.#path = path
    this.#isFor = isFor
    if (!isNew) copyAttributes(old.realPath, path)
    return !isNew
  }

  /** Writes its text, and gives it the mode and the owner of the settings file. @returns its path */
  write(old: SettingsOnDisk, text: string): string {
    const file = openSync(this.#path, constants.O_RDWR | (constants.O_NOFOLLOW ?? 0))
    try {
      ftruncateSync(file)
      writeFileSync(file, text)
      if (old.hash !== undefined) keepOwnerAndMode(file, old)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return this.#path
  }

  remove(): void {
    if (this.#path !== '') rmSync(this.#path, { force: true })
  }
}

/** Removes what an earlier process left that was killed. Best effort: one of another user stays. */
function removeLeft(folder: string, start: string): void {
  for (const name of listQuietly(folder)) {
    const [, pid] = /^(\d+)-[0-9a-f]{12}$/.exec(name.slice(start.length)) ?? []
    if (!name.startsWith(start) || pid === undefined) continue
    try {
      const path = join(folder, name)
      // The time is not that of its content, which is copied from the settings. Another process may have got the id.
      if (!isAlive(Number(pid)) || Date.now() - lstatSync(path).ctimeMs > LEFT_AFTER_MS)
        rmSync(path)
    } catch {
      // Another process has removed it, or this user may not.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}

function keepOwnerAndMode(file: number, { uid, gid, mode }: SettingsOnDisk): void {
  if (fstatSync(file).gid !== gid) {
    try {
      fchownSync(file, uid, gid)
    } catch (error) {
      // The user is not a member of that group any more.
      if (errorCode(error) !== 'EPERM') throw error
    }
  }
  fchmodSync(file, mode & 0o7777)
}

const PATH = '/usr/bin:/bin:/run/current-system/sw/bin'

/** Only what hangs takes this long, also on a busy machine. */
const LIMIT_MS = 60_000

/** Options of `cp` that copy everything but the content. On macOS it copies the content too. */
const options: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['--attributes-only', '--preserve=all'],
  darwin: ['-p'],
}

/**
 * Copies everything but the content from one file to another: extended attributes, access control lists, a security
 * label. Node.js has no functions for them. Best effort: if `cp` cannot copy them, they are lost.
 */
function copyAttributes(from: string, to: string): void {
  const words = options[process.platform]
  if (!words) return
  spawnSync('cp', [...words, '--', from, to], { env: { PATH }, stdio: 'ignore', timeout: LIMIT_MS })
}
