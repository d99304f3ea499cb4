import { writeSync } from 'node:fs'
import { errorCode } from '../errors.ts'
import { escapeControls } from '../text/clean.ts'
import { formatDate } from '../text/local-time.ts'
import { exitCodeOf, reportError } from './errors.ts'
import { colour, mayBeTerminal, type Style, terminalWidth } from './terminal.ts'
import { wrapText } from './wrap-text.ts'

const HANGING = 2

export { table } from './table.ts'
export { terminalWidth } from './terminal.ts'

export function paint(style: Style, text: string): string {
  return colour(style, text, 'stdout')
}

export function print(text: string) {
  write(`${text}\n`)
}

/** Prints text for a person: on a terminal, long lines are wrapped between words and their rest is indented. */
export function say(text: string) {
  print(fit(text))
}

/** Wraps the text to the width of the terminal. Colour codes take no width. */
export function fit(text: string): string {
  return wrapText(text, terminalWidth(), HANGING)
}

/** Every command writes its output through here, so that a full disk or a closed pipe is noticed. */
export function write(text: string) {
  if (stream || mayBeTerminal('stdout')) writeToStream(text)
  else writeToDescriptor(Buffer.from(text))
}

/**
 * Writes to the descriptor, because creating process.stdout for a pipe costs a fifth of the start of Node.js.
 * The stream takes over when a non-blocking pipe is full.
 */
function writeToDescriptor(bytes: Buffer) {
  let written = 0
  try {
    while (written < bytes.length) written += writeSync(1, bytes, written)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EAGAIN') writeToStream(bytes.subarray(written))
    else endOutput(error)
  }
}

let stream: NodeJS.WriteStream | undefined

function writeToStream(data: string | Uint8Array) {
  if (!stream) {
    stream = process.stdout
    stream.on('error', endOutput)
  }
  stream.write(data)
  // The event comes later, perhaps after the end of the command.
  if (stream.errored) endOutput(stream.errored)
}

/** A closed pipe is no error: a reader such as `head` has seen enough. A full disk is one: output is missing. */
function endOutput(error: unknown): never {
  if (errorCode(error) === 'EPIPE') process.exit(0)
  reportError(error, '', process.argv.slice(3))
  process.exit(exitCodeOf(error))
}

/** Prints JSON, on one line without `indent`. A terminal obeys some characters that JSON leaves as they are. */
export function printJson(value: unknown, indent = 2) {
  print(escapeControls(JSON.stringify(value, null, indent)))
}

/** `just now`, `5 min ago`, `2 h ago`, then the date. */
export function ago(at: number): string {
  const minutes = Math.floor((Date.now() - at) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ago`
  return formatDate(at)
}

/** `now`, `in 5 s`, `in 5 min`, `in 2 h`, then the date. */
export function ahead(at: number): string {
  const seconds = Math.ceil((at - Date.now()) / 1000)
  if (seconds <= 0) return 'now'
  if (seconds < 120) return `in ${seconds} s`
  if (seconds < 120 * 60) return `in ${Math.floor(seconds / 60)} min`
  if (seconds < 48 * 3600) return `in ${Math.floor(seconds / 3600)} h`
  return formatDate(at)
}
