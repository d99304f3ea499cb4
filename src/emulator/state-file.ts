import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import * as z from 'zod'
import { EmulatorError, parseOr } from './errors.ts'
import { State } from './state.ts'

const VERSION = 1

const StateFile = z.strictObject({ emulatorState: z.literal(VERSION), state: State })

/** The state of a file; undefined if there is no file. One that does not fit is refused and left alone. */
export function loadState(file: string): State | undefined {
  const text = readText(file)
  if (text === undefined) return undefined
  const hint = 'It was left as it is. Move it away to start afresh.'
  return parseOr(StateFile, parseJson(file, text, hint), `state file "${file}"`, hint).state
}

/** A function that writes the state if it differs from what it wrote last. */
export function makeStateWriter(file: string): (state: State) => void {
  let written = ''
  return (state) => {
    const text = `${JSON.stringify({ emulatorState: VERSION, state })}\n`
    if (text === written) return
    writeFile(file, text)
    written = text
  }
}

function readText(file: string) {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
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

// Synchronous, so that no answer is sent before its effect is on the disk.
function writeFile(file: string, text: string) {
  const temporary = `${file}.${process.pid}.tmp`
  try {
    writeThrough(temporary, text)
    renameSync(temporary, file)
  } catch (cause) {
    removeIfThere(temporary)
    throw new EmulatorError(`state file "${file}": cannot be written`, { cause })
  }
  syncFolder(dirname(file))
}

function writeThrough(file: string, text: string) {
  // It holds keys, if only those of an emulator.
  const descriptor = openSync(file, 'w', 0o600)
  try {
    const bytes = Buffer.from(text)
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

function removeIfThere(file: string) {
  try {
    unlinkSync(file)
  } catch {
    // It was never made.
  }
}

function syncFolder(folder: string) {
  // Windows cannot open a folder.
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
