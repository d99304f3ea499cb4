import { lstatSync, readFileSync, realpathSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import * as z from 'zod'
import { replaceFile } from '../../fs/durable.ts'
import { codeOf, EmulatorError, parseOr } from '../errors.ts'
import { State } from './state.ts'

const VERSION = 1

const StateFile = z.strictObject({ emulatorState: z.literal(VERSION), state: State })

/** Loads the state from a file; undefined if there is none. An invalid file is refused and left unchanged. */
export function loadState(file: string): State | undefined {
  const text = readText(file)
  if (text === undefined) return undefined
  const hint = 'It was left as it is. Move it away to start afresh.'
  return parseOr(StateFile, parseJson(file, text, hint), `state file "${file}"`, hint).state
}

/** Returns a function that writes the state if it differs from what it wrote last. */
export function makeStateWriter(file: string): (state: State) => void {
  let written = ''
  return (state) => {
    const text = `${JSON.stringify({ emulatorState: VERSION, state })}\n`
    if (text === written) return
    writeFile(file, text)
    written = text
  }
}

/** The file to read and to write: if it is a symbolic link, its target, so that the link stays. */
export function findState(file: string): string {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (!stat || stat.isFile()) return file
  // Reading a named pipe would block for ever.
  if (!stat.isSymbolicLink()) throw new EmulatorError(`state file "${file}": is not a file`)
  // In a shared folder such as /tmp, another user could plant a link to one of our files.
  if (stat.uid !== (process.getuid?.() ?? stat.uid))
    throw new EmulatorError(`state file "${file}": a link of another user`, {
      hint: 'Name a file in a folder of your own.',
    })
  return findState(targetOf(file))
}

function targetOf(file: string): string {
  try {
    return realpathSync(file)
  } catch (cause) {
    const hint = 'Repair the link, or remove it.'
    throw new EmulatorError(`state file "${file}": a link to nothing`, { cause, hint })
  }
}

function readText(file: string) {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw new EmulatorError(`state file "${file}": cannot be read`, { cause })
  }
}

function parseJson(file: string, text: string, hint: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new EmulatorError(`state file "${file}": not JSON`, { cause, hint })
  }
}

// Synchronous, so that no response is sent before its effect is on the disk. The file is private, since it holds
// keys, though only those of an emulator. It is never written through a planted link.
function writeFile(file: string, text: string) {
  try {
    replaceFile(file, text)
  } catch (cause) {
    throw new EmulatorError(`state file "${file}": cannot be written`, { cause })
  }
}

// The locks of this process. A restarted process may get its old ID again: only this tells its stale lock from a
// current one.
const held = new Set<string>()

/**
 * Locks a state file: two emulators would overwrite each other's changes.
 * Returns a function that releases the lock.
 */
export function lockState(file: string): () => void {
  const lock = resolve(`${file}.lock`)
  if (!make(lock, file)) {
    const holder = readHolder(lock)
    if (isRunning(lock, holder)) throw inUse(file, lock, holder)
    // Left behind by an emulator that was killed.
    remove(lock)
    if (!make(lock, file)) throw inUse(file, lock, readHolder(lock))
  }
  held.add(lock)
  return () => {
    if (held.delete(lock)) remove(lock)
  }
}

function make(lock: string, file: string): boolean {
  try {
    writeFileSync(lock, `${process.pid}\n`, { flag: 'wx', mode: 0o600 })
    return true
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false
    const hint = codeOf(cause) === 'ENOENT' ? `There is no folder "${dirname(file)}"` : undefined
    throw new EmulatorError(`state file "${file}": cannot be written`, { cause, hint })
  }
}

function readHolder(lock: string): number {
  try {
    return Number(readFileSync(lock, 'utf8'))
  } catch {
    return Number.NaN
  }
}

/** Whether the process that holds the lock is running. An empty lock is one that is being written. */
function isRunning(lock: string, holder: number): boolean {
  if (!Number.isSafeInteger(holder) || holder <= 0) return true
  if (holder === process.pid) return held.has(lock)
  try {
    process.kill(holder, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

function inUse(file: string, lock: string, holder: number) {
  const who = holder > 0 ? `process ${holder}` : 'another process'
  return new EmulatorError(`state file "${file}": in use by the emulator of ${who}`, {
    isTaken: true,
    hint: `Stop that one, or take another file. If none is running, delete "${lock}"`,
  })
}

function remove(lock: string) {
  try {
    unlinkSync(lock)
  } catch {
    // Already removed, or its folder is gone.
  }
}
