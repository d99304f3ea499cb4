import { lstatSync, readFileSync } from 'node:fs'
import * as z from 'zod'
import { replaceFile } from '../fs/durable.ts'
import { EmulatorError, parseOr } from './errors.ts'
import { State } from './state.ts'

const VERSION = 1

const StateFile = z.strictObject({ emulatorState: z.literal(VERSION), state: State })

/** The state of a file; undefined if there is no file. One that does not fit is refused and left alone. */
export function loadState(file: string): State | undefined {
  refuseForeignLink(file)
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

/** In a folder for all, such as /tmp, anybody can put a link to a file of ours. */
function refuseForeignLink(file: string) {
  const stat = lstatSync(file, { throwIfNoEntry: false })
  if (!stat?.isSymbolicLink() || stat.uid === (process.getuid?.() ?? stat.uid)) return
  throw new EmulatorError(`state file "${file}": a link of another user`, {
    hint: 'Name a file in a folder of your own.',
  })
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

// Synchronous, so that no answer is sent before its effect is on the disk. Private: it holds keys, if only those
// of an emulator. Never through a link that somebody put there.
function writeFile(file: string, text: string) {
  try {
    replaceFile(file, text)
  } catch (cause) {
    throw new EmulatorError(`state file "${file}": cannot be written`, { cause })
  }
}
