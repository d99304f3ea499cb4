import { lstatSync, readFileSync, realpathSync } from 'node:fs'
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
