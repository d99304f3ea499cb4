import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** By path: what waits for its disk. */
const waiting = new Map<string, Promise<void>>()

/**
 * Resolves once the disk of a file answers, also if there is no such file. To be awaited before a program is run: until
 * the system has read its file, Node.js does nothing else. All calls for a path together take one thread.
 */
export function diskAnswers(path: string): Promise<void> {
  const known = waiting.get(path)
  if (known) return known
  const answered = look(path).finally(() => waiting.delete(path))
  waiting.set(path, answered)
  return answered
}

async function look(path: string): Promise<void> {
  try {
    // Opening a pipe would wait for a writer.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    await file.close()
  } catch {
    // Running the program reports why.
  }
}
