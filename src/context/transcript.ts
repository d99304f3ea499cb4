import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { normalize } from 'node:path'
import type { TranscriptFormat } from '../clients/define.ts'
import { errorCode } from '../errors.ts'
import { isPayload, type Payload } from '../event/payload.ts'
import { expandHome } from '../fs/home.ts'
import { pathGate } from '../fs/path-gate.ts'
import { cutText, oneLine } from '../text/clean.ts'
import type { Entry } from './transcripts/entry.ts'
import { readers, readRecords } from './transcripts/index.ts'
import { type TurnFacts, turnAt, wentOnAfter } from './turn.ts'

/** Enough for most turns. If the turn, or a question, is older, LONG_TAIL_BYTES are read. */
const TAIL_BYTES = 256 * 1024
const LONG_TAIL_BYTES = 4 * 1024 * 1024
const HEAD_BYTES = 64 * 1024
const SIDECAR_BYTES = 64 * 1024
const MAX_NAME = 200
/** More than between the line about a scheduled turn and its hook: measured, 0.4 s. */
const WAKE_MS = 10_000
/** Less than this in the future is no sign that the clock was set back. */
const SLACK_MS = 1000

export interface TranscriptFacts extends TurnFacts {
  /** The session's name, given by the client or the person; '' if it has none. */
  title: string
  /** The first prompt of the session. */
  firstPrompt: string
  model: string
  branch: string
  isHeadless: boolean | undefined
  /** Whether the session is that of a sub-agent. */
  isSubagent: boolean
  /** Whether it is a review, at whose end no hook runs. */
  isReview: boolean
  /** Whether the transcript may be read and has entries. */
  isReadable: boolean
  /** Whether it may be read, and nothing was asked or said in it, or it does not exist. */
  isUnused: boolean
}

const nothing: TranscriptFacts = {
  ...turnAt([], 0),
  isLate: false,
  title: '',
  firstPrompt: '',
  model: '',
  branch: '',
  isHeadless: undefined,
  isSubagent: false,
  isReview: false,
  isReadable: false,
  isUnused: false,
}

/**
 * Reads the facts about a session, and about the turn that was running or had ended at a moment. Never throws: a
 * transcript that cannot be read has no facts.
 */
export async function readTranscript(
  path: string,
  roots: readonly string[],
  moment: number,
  format?: TranscriptFormat,
): Promise<TranscriptFacts> {
  if (format === 'none') return nothing
  const hasPrompt = (found: readonly Entry[]) => turnAt(found, moment).promptedAt !== undefined
  const { entries, isAll, isRefused } = await readEnd(path, roots, moment, format, hasPrompt)
  if (isRefused) return nothing
  const start = isAll
    ? entries
    : readRecords(recordsOf(await readHead(path, roots, HEAD_BYTES)), format)
  const first = start.find((entry) => entry.type === 'prompt' && !entry.isOwn && entry.text)
  return {
    ...nothing,
    ...(await sidecarFacts(path, roots, format)),
    ...sessionFacts(start),
    ...sessionFacts(entries),
    ...turnAt(entries, moment),
    firstPrompt: first?.type === 'prompt' ? first.text : '',
    isReadable: entries.length > 0,
    isUnused: isAll && !entries.some(({ type }) => /^(prompt|answer|call)$/.test(type)),
  }
}

/** When the session went on past a question, as far as the end of the file shows. See `wentOnAfter`. */
export async function answeredAt(
  path: string,
  roots: readonly string[],
  asked: { at: number; toolUseId?: string },
  format?: TranscriptFormat,
): Promise<{ isReadable: boolean; at?: number | undefined }> {
  const isOlder = ({ at = Number.POSITIVE_INFINITY }: Entry) => at <= asked.at
  const hasOlder = (found: readonly Entry[]) => found.some(isOlder)
  const { entries, isRefused } = await readEnd(path, roots, asked.at, format, hasOlder)
  return isRefused ? { isReadable: false } : { isReadable: true, at: wentOnAfter(entries, asked) }
}

/** What the end of a transcript shows of a prompt. */
export interface PromptFacts {
  /** Whether the client wrote it itself, as scheduled. */
  isOwn: boolean
  /** Whether a person had stopped the turn before, for which not every client fires a hook. */
  isInterrupted: boolean
}

/** Looks at the end of the file only. */
export async function readPrompt(
  path: string,
  roots: readonly string[],
  { at, prompt }: { at: number; prompt: string },
  format?: TranscriptFormat,
): Promise<PromptFacts> {
  const { text } = await readTail(path, roots, TAIL_BYTES)
  const entries = readRecords(recordsOf(text), format)
  const written = entries.findLast(({ type }) => type === 'prompt')
  const isOwn =
    written?.type === 'prompt' &&
    (written.isOwn ?? false) &&
    written.text === prompt &&
    Math.abs(at - (written.at ?? 0)) <= WAKE_MS
  const turns = entries.filter(({ type }) => /^(prompt|answer|call|end)$/.test(type))
  // The prompt itself may not be written yet.
  const before = turns.at(turns.at(-1)?.type === 'prompt' ? -2 : -1)
  return { isOwn, isInterrupted: before?.type === 'end' && before.outcome === 'interrupted' }
}

/** @param isEnough whether these entries go back far enough; if not, a longer part is read */
async function readEnd(
  path: string,
  roots: readonly string[],
  moment: number,
  format: TranscriptFormat | undefined,
  isEnough: (entries: readonly Entry[]) => boolean,
): Promise<{ entries: Entry[]; isAll: boolean; isRefused: boolean }> {
  const { text, isAll, isRefused } = await readTail(path, roots, TAIL_BYTES)
  const entries = entriesIn(text, moment, format)
  if (isRefused || isAll || isEnough(entries)) return { entries, isAll, isRefused }
  const longer = await readTail(path, roots, LONG_TAIL_BYTES)
  return { ...longer, entries: entriesIn(longer.text, moment, format) }
}

/**
 * A line with a time in the future is from before the clock was set back. It loses that time, so that it counts with
 * the line before it.
 */
function entriesIn(text: string, moment: number, format?: TranscriptFormat): Entry[] {
  const entries = readRecords(recordsOf(text), format)
  const now = Date.now()
  // The clock was set back after the moment, so the times of the lines can be compared with it.
  if (moment > now) return entries
  return entries.map((entry) =>
    (entry.at ?? 0) > now + SLACK_MS ? { ...entry, at: undefined } : entry,
  )
}

/** Parses one object per line. Incomplete lines and other values are skipped. */
function recordsOf(text: string): Payload[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('{')) return []
    try {
      const record: unknown = JSON.parse(line)
      return isPayload(record) ? [record] : []
    } catch {
      return []
    }
  })
}

/** The latest value of each fact about the session. */
function sessionFacts(entries: readonly Entry[]) {
  const facts: Partial<Omit<Extract<Entry, { type: 'session' }>, 'type' | 'at'>> = {}
  for (const entry of entries) {
    if (entry.type !== 'session') continue
    const { type: _, at: __, ...told } = entry
    Object.assign(facts, Object.fromEntries(Object.entries(told).map(short)))
  }
  return facts
}

/** Names are short: a longer text is truncated to one line. */
function short([key, value]: [string, unknown]): [string, unknown] {
  return [key, typeof value === 'string' ? cutText(oneLine(value), MAX_NAME) : value]
}

async function sidecarFacts(path: string, roots: readonly string[], format?: TranscriptFormat) {
  const sidecar = format && format !== 'none' ? readers[format].sidecar : undefined
  if (!sidecar) return {}
  const { text } = await readTail(sidecar.pathOf(path), roots, SIDECAR_BYTES)
  const facts = Object.entries(text ? sidecar.read(text) : {})
  return Object.fromEntries(facts.map(short)) as ReturnType<typeof sidecar.read>
}

interface Tail {
  text: string
  /** Whether that is the whole file. */
  isAll: boolean
  /** Whether the file will never be read, as opposed to not existing yet. */
  isRefused: boolean
}

/**
 * The last bytes of a transcript, from the start of a line. The path comes from a payload, so it is read only if
 * it is a regular file of this user under one of the client's own folders. Any other path is not even accessed.
 * @returns no text where any of that does not hold, or where it takes too long
 */
export async function readTail(
  path: string,
  roots: readonly string[],
  maxBytes: number,
  gate = pathGate,
): Promise<Tail> {
  return readPart(path, roots, gate, (size) => Math.max(0, size - maxBytes), maxBytes)
}

/** The first bytes, under the same conditions; '' where they do not hold. The last line may be incomplete. */
export async function readHead(
  path: string,
  roots: readonly string[],
  maxBytes: number,
  gate = pathGate,
): Promise<string> {
  const { text } = await readPart(path, roots, gate, () => 0, maxBytes)
  return text
}

/** The size of a file that may be read under the same conditions; undefined where they do not hold. */
export async function sizeOf(
  path: string,
  roots: readonly string[],
  gate = pathGate,
): Promise<number | undefined> {
  return (await statOwn(path, roots, gate))?.size
}

/** When such a file last grew, Unix ms; undefined where the conditions do not hold. */
export async function grewAt(path: string, roots: readonly string[]): Promise<number | undefined> {
  return (await statOwn(path, roots, pathGate))?.mtimeMs
}

async function statOwn(path: string, roots: readonly string[], gate: typeof pathGate) {
  const look = async (absolute: string, own: readonly string[]) => {
    const file = await openOwn(absolute, own)
    try {
      return await file?.stat()
    } finally {
      await file?.close()
    }
  }
  return onOwn(path, roots, gate, look, undefined)
}

async function readPart(
  path: string,
  roots: readonly string[],
  gate: typeof pathGate,
  startAt: (size: number) => number,
  maxBytes: number,
): Promise<Tail> {
  const read = (absolute: string, own: readonly string[]) =>
    readOwn(absolute, own, startAt, maxBytes)
  return onOwn(path, roots, gate, read, refused)
}

async function onOwn<Result>(
  path: string,
  roots: readonly string[],
  gate: typeof pathGate,
  work: (absolute: string, own: readonly string[]) => Promise<Result>,
  otherwise: Result,
): Promise<Result> {
  const absolute = expandHome(path)
  const own = await ownFolders(roots)
  // Judged by the normalized path alone, because accessing a path may wait for another machine.
  if (absolute === undefined || !isBelow(normalize(absolute), own)) return otherwise
  return gate.run(() => work(absolute, own), otherwise)
}

const refused: Tail = { text: '', isAll: true, isRefused: true }

async function readOwn(
  path: string,
  own: readonly string[],
  startAt: (size: number) => number,
  maxBytes: number,
): Promise<Tail> {
  let file: FileHandle | undefined
  try {
    file = await openOwn(path, own)
  } catch (error) {
    return { ...refused, isRefused: errorCode(error) !== 'ENOENT' }
  }
  if (!file) return refused
  try {
    const { size } = await file.stat()
    const start = startAt(size)
    const bytes = Buffer.alloc(Math.min(maxBytes, size - start))
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
    const read = bytes.subarray(0, bytesRead)
    const whole = start > 0 ? read.subarray(read.indexOf(10) + 1) : read
    return { text: whole.toString('utf8'), isAll: start === 0, isRefused: false }
  } catch {
    return refused
  } finally {
    await file.close()
  }
}

/** The client's own folders by the names that a payload may use: as configured, and with all links resolved. */
async function ownFolders(roots: readonly string[]): Promise<string[]> {
  const named = roots.map((root) => expandHome(root)).filter((root) => root !== undefined)
  const real = await Promise.all(named.map((root) => realpath(root).catch(() => root)))
  return [...new Set([...named, ...real])]
}

/** Windows does not distinguish capital letters, and some agents write the letter of a drive as a small one. */
export function isBelow(
  path: string,
  roots: readonly string[],
  platform = process.platform,
): boolean {
  const isWindows = platform === 'win32'
  const comparable = (text: string) => (isWindows ? text.toLowerCase() : text)
  const end = isWindows ? '\\' : '/'
  return roots.some((root) => comparable(path).startsWith(comparable(root) + end))
}

async function openOwn(path: string, own: readonly string[]): Promise<FileHandle | undefined> {
  const real = await realpath(path)
  const realRoots = await Promise.all(own.map((root) => realpath(root).catch(() => '')))
  if (!isBelow(real, realRoots.filter(Boolean))) return undefined
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  const file = await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const stat = await file.stat()
  if (stat.isFile() && stat.uid === (process.getuid?.() ?? stat.uid)) return file
  await file.close()
  return undefined
}
