import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from '../errors.ts'
import { privateFolder, writeDurable } from '../fs/durable.ts'
import { strangerOf } from '../fs/ownership.ts'
import { isMissing } from '../fs/read.ts'
import { FORMAT_LINE, MAX_BODY_BYTES, newId } from './layout.ts'

/** What the front door stores besides the bytes of the event. */
export interface Header {
  client: string
  /** Facts of the agent's session, from an allow-list. */
  env: Record<string, string>
  /** Whether the event comes from the hooks of a project, which all who work on it share. */
  shared?: boolean
}

const CLIENT_NAME = /^[A-Za-z0-9._-]{1,32}$/

// A shell that counts the front door's limit in KiB stores twice as much; the excess is cut off later.
const MAX_FILE_BYTES = 3 * MAX_BODY_BYTES

type SpoolFile = { bytes: Buffer; writtenAt: number } | { foreign: string }

/**
 * Reads a file from the spool without trusting it: not through a link, not a pipe that would block.
 * @throws the system error if the file cannot be read now, or no longer exists
 */
export function readSpoolFile(path: string): SpoolFile {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  let file: number
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    if (!isForeign(path, error)) throw error
    return { foreign: `cannot be opened: ${(error as Error).message}` }
  }
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) return { foreign: 'not a regular file' }
    if (stat.uid !== (process.getuid?.() ?? stat.uid)) return { foreign: 'belongs to another user' }
    if (stat.size > MAX_FILE_BYTES) return { foreign: `too large: ${stat.size} bytes` }
    return { bytes: readStart(file, stat.size), writtenAt: Math.floor(stat.mtimeMs) }
  } finally {
    closeSync(file)
  }
}

/** Whether the file itself is why it cannot be opened. Other reasons may pass, such as too many open files. */
function isForeign(path: string, error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes(errorCode(error) ?? '') || !lstatSync(path).isFile()
}

/** Reads up to the size seen by fstat. That is all, since nobody writes to the file any more. */
function readStart(file: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  let end = 0
  while (end < size) {
    const read = readSync(file, bytes, end, size - end, null)
    if (read === 0) break
    end += read
  }
  return bytes.subarray(0, end)
}

/** An accepted event as the front door stored it. */
export interface StoredEvent {
  header: Header
  body: Buffer
  truncated: boolean
  /** When it was accepted, Unix ms. */
  at: number
}

/** The event in a file of the spool; undefined if the file is foreign, damaged or of a later version. */
export function storedIn(file: SpoolFile): StoredEvent | undefined {
  const parsed = 'bytes' in file ? parseSpoolFile(file.bytes) : undefined
  return parsed && 'writtenAt' in file ? { ...parsed, at: file.writtenAt } : undefined
}

/** Header lines, then one blank line. The raw bytes of the event follow as they came. */
export function formatHeader({ client, env, shared }: Header): string {
  const lines = [FORMAT_LINE, `client: ${CLIENT_NAME.test(client) ? client : 'unknown'}`]
  if (shared) lines.push('shared: yes')
  for (const [name, value] of Object.entries(env)) {
    if (!value.includes('\n')) lines.push(`env: ${name}=${value}`)
  }
  return `${lines.join('\n')}\n\n`
}

/** @returns undefined where the bytes are not a spool file of this format. */
export function parseSpoolFile(
  bytes: Buffer,
): { header: Header; body: Buffer; truncated: boolean } | undefined {
  const end = bytes.indexOf('\n\n')
  if (end < 0) return undefined
  const [first, ...lines] = bytes.toString('utf8', 0, end).split('\n')
  if (first !== FORMAT_LINE) return undefined
  const body = bytes.subarray(end + 2)
  return {
    header: parseLines(lines),
    body: body.subarray(0, MAX_BODY_BYTES),
    truncated: body.length >= MAX_BODY_BYTES,
  }
}

/** Whether a newer hookbell wrote it. Such a file is left for that version. */
export function isOfLaterVersion(bytes: Buffer): boolean {
  const [, version] = /^hookbell-event (\d+)\n/.exec(bytes.toString('latin1', 0, 64)) ?? []
  return version !== undefined && `hookbell-event ${version}` !== FORMAT_LINE
}

function parseLines(lines: string[]): Header {
  const header: Header = { client: 'unknown', env: {} }
  for (const line of lines) {
    const [, key, value = ''] = /^(\w+): (.*)$/.exec(line) ?? []
    if (key === 'client') header.client = CLIENT_NAME.test(value) ? value : 'unknown'
    if (key === 'shared') header.shared = value === 'yes'
    const equals = value.indexOf('=')
    if (key === 'env' && equals > 0) header.env[value.slice(0, equals)] = value.slice(equals + 1)
  }
  return header
}

/**
 * Stores one event. When this returns, the event survives a power cut.
 * @returns the event's id, which is also its file name
 * @throws the system error when the folder cannot take it
 */
export function acceptEvent(state: string, header: Header, body: Buffer): string {
  const spool = `${state}/spool`
  // Another owner of the state folder could replace the spool during the write.
  if (strangerOf(state) !== undefined) throw new Error(`${state}: belongs to another user`)
  for (const folder of [spool, `${spool}/tmp`, `${spool}/new`]) privateFolder(folder)
  const id = newId()
  const kept = body.subarray(0, MAX_BODY_BYTES)
  const [from, to] = [`${spool}/tmp/${id}`, `${spool}/new/${id}`]
  try {
    writeDurable(to, [formatHeader(header), kept], from)
  } catch (error) {
    if (!isSalvaged(error as NodeJS.ErrnoException, from, dirname(to))) throw error
  }
  return id
}

/**
 * Whether a worker has accepted the event before this process could, such as when this process was stopped in between.
 * Nobody else removes a new file from tmp/.
 */
function isSalvaged({ syscall, code }: NodeJS.ErrnoException, from: string, folder: string) {
  return syscall === 'rename' && code === 'ENOENT' && isMissing(from) && !isMissing(folder)
}
