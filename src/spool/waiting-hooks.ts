import {
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../errors.ts'
import { isMissing, listQuietly } from '../fs/read.ts'
import { readSpoolFile, type StoredEvent, storedIn } from './event-file.ts'
import { spoolIn } from './layout.ts'

// In spool/answers/, bin/hookbell-wait makes a named pipe ID.PID for a question that can be answered from elsewhere, and reads
// one line from it. The worker puts the event beside it, as ID.event.

/** How long a pipe may stay full: its reader is stopped, or on a machine that sleeps. */
const WRITE_MS = 5000
const WRITE_AGAIN_MS = 10
/** How long a pipe has the name that it has for a moment: before it is open, or while an answer is written. */
const LEFT_AFTER_MS = 60_000

/** A hook that waits for the answer to its question. */
export interface WaitingHook {
  /** Id of the event. */
  id: string
  /** The process that waits. */
  pid: number
  path: string
}

/** The hooks that wait, in no order. */
export function listWaitingHooks(state: string): WaitingHook[] {
  const { answers } = spoolIn(state)
  return listQuietly(answers).flatMap((name) => {
    const [, id, pid] = /^([0-9a-f-]{8,64})\.(\d+)$/.exec(name) ?? []
    return id && pid ? [{ id, pid: Number(pid), path: join(answers, name) }] : []
  })
}

/** Whether its process still reads the pipe. */
export function isStillWaiting({ path }: WaitingHook): boolean {
  const pipe = openPipe(path)
  if (pipe === undefined) return false
  closeSync(pipe)
  return true
}

/** Keeps the event of a question for as long as its hook waits. Nothing, if none does. */
export function keepForAnswer(state: string, id: string, eventPath: string) {
  if (!listWaitingHooks(state).some((hook) => hook.id === id)) return
  const path = eventFileOf(state, id)
  try {
    linkSync(eventPath, path)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return
    // A file system without links.
    copyFileSync(eventPath, path, constants.COPYFILE_EXCL)
  }
}

/** The event of a question that can be answered; undefined if no worker has put it there, or it is damaged. */
export function readQuestionEvent(state: string, id: string): StoredEvent | undefined {
  return hasQuestion(state, id) ? storedIn(readSpoolFile(eventFileOf(state, id))) : undefined
}

/**
 * Gives the answer, one line without line breaks, to the hook that waits. Of several answers only the first arrives.
 * @returns false if the hook does not wait any more, or another answer came first
 */
export async function answerHook(hook: WaitingHook, line: string): Promise<boolean> {
  const taken = `${hook.path}.taken`
  try {
    renameSync(hook.path, taken)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
  try {
    return await writeLine(taken, line)
  } finally {
    rmSync(taken, { force: true })
  }
}

/** Removes a question that is over. The worker notices that. */
export function forgetQuestion(state: string, { id }: Pick<WaitingHook, 'id'>) {
  rmSync(eventFileOf(state, id), { force: true })
}

export function hasQuestion(state: string, id: string): boolean {
  return !isMissing(eventFileOf(state, id))
}

/** Ends the wait without an answer, and removes what belongs to it. */
export async function endWait(state: string, hook: WaitingHook): Promise<void> {
  await answerHook(hook, '')
  forgetQuestion(state, hook)
}

/** Removes what is left of questions whose hook is gone, such as after a crash. */
export function removeLeftAnswers(state: string) {
  const { answers } = spoolIn(state)
  const waiting = new Set(listWaitingHooks(state).map(({ id }) => id))
  for (const name of listQuietly(answers)) {
    const [, id = '', part] = /^([^.]+)\.(event|\d+\.new|\d+\.taken)$/.exec(name) ?? []
    const path = join(answers, name)
    const isLeft = part === 'event' ? !waiting.has(id) : part !== undefined && isOld(path)
    if (isLeft) rmSync(path, { force: true })
  }
}

/** Whether it is older than anything that takes a moment. */
function isOld(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat !== undefined && Date.now() - stat.mtimeMs > LEFT_AFTER_MS
}

async function writeLine(path: string, line: string): Promise<boolean> {
  const pipe = openPipe(path)
  if (pipe === undefined) return false
  try {
    let rest = Buffer.from(`${line}\n`)
    for (let waitedMs = 0; rest.length > 0; ) {
      const written = writeSome(pipe, rest)
      if (written === undefined) return false
      rest = rest.subarray(written)
      if (written > 0) continue
      if (waitedMs >= WRITE_MS) return false
      waitedMs += WRITE_AGAIN_MS
      await sleep(WRITE_AGAIN_MS)
    }
    return true
  } finally {
    closeSync(pipe)
  }
}

/** @returns 0 for a full pipe, undefined if nobody reads it any more */
function writeSome(pipe: number, bytes: Buffer): number | undefined {
  try {
    return writeSync(pipe, bytes)
  } catch (error) {
    if (errorCode(error) === 'EAGAIN') return 0
    if (errorCode(error) === 'EPIPE') return undefined
    throw error
  }
}

/** Opens a pipe that a process of this user reads, without waiting. @returns undefined if nobody does */
function openPipe(path: string): number | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat?.isFIFO() || stat.uid !== process.getuid?.()) return undefined
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (error) {
    if (['ENXIO', 'ENOENT'].includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}

function eventFileOf(state: string, id: string): string {
  return join(spoolIn(state).answers, `${id}.event`)
}
