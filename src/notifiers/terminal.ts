import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { describeError, errorCode } from '../errors.ts'
import { sha256 } from '../text/sha256.ts'
import { findPlace } from './_terminal-place.ts'
import { modes, renderSequence, sequenceFor } from './_terminal-sequence.ts'
import { DeliveryError, defineNotifier, type Message } from './define.ts'

/** Between two looks at a terminal that takes nothing, because its output was stopped by Ctrl+S. */
const LOOK_MS = 50
const PATIENCE_MS = 2000
/** Clocks of files are coarser than ours. */
const SLACK_MS = 1000

export const terminal = defineNotifier({
  name: 'terminal',
  title: "Terminal of the agent's session",
  summarizes: true,
  options: z.strictObject({
    mode: z
      .enum(modes)
      .default('auto')
      .describe('What to send; `auto` is what the terminal is known to show, else a bell'),
  }),
  compose: composeCall,
  // Several terminals drop what follows within a second.
  pace: { minIntervalMs: 1000, destination: () => 'terminals' },
  async send(message, { mode }, { signal, sessionEnv }) {
    if (signal.aborted) throw tooLate()
    const place = await findPlace(sessionEnv, signal)
    const wanted = mode === 'auto' ? sequenceFor(place.names) : mode
    const sequence = place.onlyBell ? 'bell' : wanted
    const text = renderSequence(sequence, composeCall(message).body, place.through)
    await write(place.path, text, message, signal)
    const why = place.onlyBell && wanted !== 'bell' ? ` (no ${wanted}: ${place.onlyBell})` : ''
    return `${sequence} to ${place.path}${why}`
  },
})

/** What each sequence shows as far as there is room; a bell shows nothing. */
function composeCall(message: Message) {
  const { title, body, urgency } = message
  return { body: { title, body, urgency, id: idOf(message) } }
}

/** Letters and digits alone are safe in every sequence. */
function idOf({ client, sessionId, id }: Message): string {
  const subject = sessionId ? `${client}\0${sessionId}` : id
  return sha256(subject).slice(0, 16)
}

async function write(path: string, text: string, { at }: Message, signal: AbortSignal) {
  let handle: FileHandle | undefined
  try {
    const { O_WRONLY, O_NOCTTY, O_NONBLOCK, O_NOFOLLOW } = constants
    // Never to become our own terminal, never to wait for one, and no link.
    handle = await open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW)
    const reason = whyNot(await handle.stat(), handle.fd, at)
    if (reason) throw new DeliveryError('unavailable', `terminal: ${path} ${reason}`)
    await writeAll(handle, Buffer.from(text), signal)
  } catch (error) {
    throw error instanceof DeliveryError ? error : failure(path, error)
  } finally {
    await handle?.close()
  }
}

/** Names of terminals are given to the next one as soon as a terminal is closed. */
function whyNot(stat: Stats, fd: number, at: string): string | undefined {
  // Not imported: with it come the modules of the network, which a desktop needs none of.
  const { isatty } = process.getBuiltinModule('node:tty')
  if (!stat.isCharacterDevice() || !isatty(fd)) return 'is not a terminal'
  if (stat.uid !== process.getuid?.()) return 'belongs to another user'
  if (stat.ctimeMs > Date.parse(at) + SLACK_MS) return 'is a newer terminal than the session'
  return undefined
}

/** In one write where the terminal takes it. Once begun it is ended: half a sequence swallows what follows. */
async function writeAll(handle: FileHandle, bytes: Buffer, signal: AbortSignal) {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
  for (let rest = bytes; rest.length > 0; ) {
    rest = rest.subarray(await writeSome(handle, rest))
    if (rest.length === 0) return
    if (patience.aborted) throw stopped()
    await sleep(LOOK_MS)
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

function tooLate(): DeliveryError {
  return new DeliveryError('retry', 'terminal: not written in time')
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
