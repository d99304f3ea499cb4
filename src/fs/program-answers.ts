import { constants } from 'node:fs'
import { access, open, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/** As Linux: at most so many scripts, each of which is the interpreter of the one before, and so much of a first line. */
const MAX_INTERPRETERS = 5
const MAX_LINE_BYTES = 256

/** What the system looks at to run a file. */
interface Program {
  /** Of a script: what its first line names. */
  interpreter?: string | undefined
}

/** By path: what waits for its disk. */
const waiting = new Map<string, Promise<Program | undefined>>()

/**
 * Resolves once the disks of a program answer, also if there is no such program: those of its file, of the files that may
 * have its name in the folders of `path`, and of its interpreters. To be awaited before a program is run: until the system
 * has found and read these files, Node.js does nothing else. A process that waits in place of this one would be no
 * simpler: it cannot be killed before the disk answers, so that each attempt would leave another one.
 */
export async function programAnswers(file: string, path = ''): Promise<void> {
  const isName = !isAbsolute(file)
  const places = isName ? path.split(delimiter).map((folder) => join(folder, file)) : [file]
  for (const place of places) if (await interpretersAnswer(place)) return
}

/** @returns false if it is no program */
async function interpretersAnswer(file: string): Promise<boolean> {
  const program = await look(file)
  let interpreter = program?.interpreter
  for (let count = 0; interpreter && count < MAX_INTERPRETERS; count += 1)
    interpreter = (await look(interpreter))?.interpreter
  return program !== undefined
}

/** However many wait for a path, one thread does. */
function look(path: string): Promise<Program | undefined> {
  const known = waiting.get(path)
  if (known) return known
  const looked = read(path).finally(() => waiting.delete(path))
  waiting.set(path, looked)
  return looked
}

/** @returns undefined if the system cannot run it: whoever tries finds out why */
async function read(path: string): Promise<Program | undefined> {
  try {
    // Opening a pipe would wait for a writer.
    if (!(await stat(path)).isFile()) return undefined
    await access(path, constants.X_OK)
    return { interpreter: interpreterIn(await readStart(path)) }
  } catch {
    return undefined
  }
}

async function readStart(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(MAX_LINE_BYTES) })
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

function interpreterIn(start: string): string | undefined {
  return /^#![ \t]*([^ \t\n\0]+)/.exec(start)?.[1]
}
