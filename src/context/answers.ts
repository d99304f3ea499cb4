import { dropOldest } from '../drop-oldest.ts'
import { formatOf, rootsOf } from './of-client.ts'
import { sizeOf } from './tail.ts'
import { wasAnswered } from './transcript.ts'

/** A question, and the transcript in which its answer would appear. */
export interface AskedWhere {
  id: string
  client: string
  transcriptPath: string
  at: number
  toolUseId: string
}

/** How many questions' transcript sizes are kept: more than are open at once. */
const MAX_KNOWN = 200

/** Whether the transcript shows that the question has been answered. */
export async function isAnswered(asked: Omit<AskedWhere, 'id'>): Promise<boolean> {
  return (await readAnswer(asked)) === true
}

/** @returns undefined if the transcript cannot be read now */
async function readAnswer(asked: Omit<AskedWhere, 'id'>): Promise<boolean | undefined> {
  const { client, transcriptPath } = asked
  return await wasAnswered(transcriptPath, rootsOf(client), asked, formatOf(client))
}

/** For polling: reads a transcript only if its size has changed since the last call. */
export class AnswerWatch {
  readonly #sizes = new Map<string, number>()

  async isAnswered(asked: AskedWhere): Promise<boolean> {
    const { id, client, transcriptPath } = asked
    const size = await sizeOf(transcriptPath, rootsOf(client))
    if (size === undefined || size === this.#sizes.get(id)) return false
    const answer = await readAnswer(asked)
    // The size is not noted, so that it is read again even if it does not grow.
    if (answer === undefined) return false
    this.#sizes.delete(id)
    this.#sizes.set(id, size)
    dropOldest(this.#sizes, MAX_KNOWN)
    return answer
  }
}
