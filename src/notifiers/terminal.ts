import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { describeError, errorCode } from '../errors.ts'
import { sha256 } from '../text/sha256.ts'
import { DeliveryError, defineNotifier, type Message, tooLate } from './define.ts'
import { findPlace } from './terminal/place.ts'
import { modes, renderSequence, sequenceFor } from './terminal/sequence.ts'

/** Between two attempts to write to a terminal whose output is stopped, as by Ctrl+S. */
const WRITE_RETRY_MS = 50
const MAX_WRITES = 40
/** File timestamps are coarser than our clock. */
const TOLERANCE_MS = 1000

export const terminal = defineNotifier({
  name: 'terminal',
  title: "Terminal of the agent's session",
  summarizes: true,
  options: z.strictObject({
    mode: z
      .enum(modes)
      .default('auto')
      .describe('What to send; `auto`: what the terminal is known to support, otherwise a bell'),
  }),
  compose: composeCall,
  // Several terminals drop a notification that follows another within a second.
  pace: { minIntervalMs: 1000, destination: () => 'terminals' },
  async send(message, { mode }, { signal, sessionEnv }) {
    if (signal.aborted) throw tooLate('terminal', signal, 'nothing was written')
    const { path, through, names } = findPlace(sessionEnv)
    const known = mode === 'auto' ? sequenceFor(names) : mode
    const [sequence, way] = through === 'nested' ? (['bell', 'none'] as const) : [known, through]
    await write(path, renderSequence(sequence, composeCall(message).body, way), message, signal)
    return `${sequence} to ${path}`
  },
})

/** What a sequence shows, as far as there is room; a bell shows nothing. */
function composeCall(message: Message) {
  const { title, body, urgency } = message
  return { body: { title, body, urgency, id: idOf(message) } }
}

/** A hash, because only letters and digits are safe in every sequence. */
function idOf({ client, sessionId, id }: Message): string {
  const subject = sessionId ? `${client}\0${sessionId}` : id
  return sha256(subject).slice(0, 16)
}

async function write(path: string, text: string, { at }: Message, signal: AbortSignal) {
  let handle: FileHandle | undefined
  try {
    const { O_WRONLY, O_NOCTTY, O_NONBLOCK, O_NOFOLLOW } = constants
    // It must not become our controlling terminal, opening must not block, and links are not followed.
    handle = await open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW)
    const reason = whyNotWritable(await handle.stat(), handle.fd, at)
    if (reason) throw new DeliveryError('unavailable', `terminal: ${path} ${reason}`)
    await writeAll(handle, Buffer.from(text), signal)
  } catch (error) {
    throw error instanceof DeliveryError ? error : failure(path, error)
  } finally {
    await handle?.close()
  }
}

/** Why not to write to it. The path of a closed terminal is soon reused for a new one. */
function whyNotWritable(stat: Stats, fd: number, at: string): string | undefined {
  // Not imported at the top: it loads the network modules, which other notifiers may not need.
  const { isatty } = process.getBuiltinModule('node:tty')
  if (!stat.isCharacterDevice() || !isatty(fd)) return 'is not a terminal'
  if (stat.uid !== process.getuid?.()) return 'belongs to another user'
  if (stat.ctimeMs > Date.parse(at) + TOLERANCE_MS) return 'is a newer terminal than the session'
  return undefined
}

/** In one write where possible. The rest is retried, because half a sequence swallows the output after it. */
async function writeAll(handle: FileHandle, bytes: Buffer, signal: AbortSignal) {
  let rest = bytes
  for (let writes = 1; ; writes += 1) {
    rest = rest.subarray(await writeSome(handle, rest))
    if (rest.length === 0) return
    if (signal.aborted || writes === MAX_WRITES) throw stopped()
    await sleep(WRITE_RETRY_MS)
  }
}

async function writeSome(handle: FileHandle, bytes: Buffer): Promise<number> {
  try {
    return (await handle.write(bytes)).bytesWritten
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return 0
    throw error
  }
}

function stopped(): DeliveryError {
  return new DeliveryError('retry', 'terminal: it takes no output', {
    hint: 'Press Ctrl+Q in it: Ctrl+S may have stopped its output',
  })
}

const GONE = ['EACCES', 'EIO', 'ELOOP', 'ENODEV', 'ENOENT', 'ENOTDIR', 'ENXIO', 'EPERM']

function failure(path: string, error: unknown): DeliveryError {
  const isGone = GONE.includes(errorCode(error) ?? '')
  const text = isGone ? `${path} was closed, or is not ours` : describeError(error)
  return new DeliveryError(isGone ? 'unavailable' : 'retry', `terminal: ${text}`, { cause: error })
}
