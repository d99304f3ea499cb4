import { dropOldest } from '../drop-oldest.ts'
import { formatOf, rootsOf } from './of-client.ts'
import { answeredAt, sizeOf } from './transcript.ts'

/** A question, and the transcript in which its answer would appear. */
export interface AskedWhere {
  id: string
  client: string
  transcriptPath: string
  at: number
  toolUseId: string
}

/** What a transcript shows of a question. */
interface Sighting {
  /** False if the transcript may not be read, or cannot be read now. */
  isReadable: boolean
  /** When it had been answered at the latest, Unix ms. Absent if it shows no answer. */
  answeredAt?: number
}

/** How many questions' transcript sizes are kept: more than are open at once. */
const MAX_KNOWN = 200

/** Looks for answers in transcripts. Reads one only if its size has changed since the last look at it. */
export class AnswerWatch {
  readonly #sizes = new Map<string, number>()

  async look({ id, ...asked }: AskedWhere): Promise<Sighting> {
    const { client, transcriptPath } = asked
    const roots = rootsOf(client)
    const size = await sizeOf(transcriptPath, roots)
    if (size === undefined) return { isReadable: false }
    if (size === this.#sizes.get(id)) return { isReadable: true }
    const { isReadable, at } = await answeredAt(transcriptPath, roots, asked, formatOf(client))
    // The size is not noted, so that it is read again even if it does not grow.
    if (!isReadable) return { isReadable }
    this.#sizes.delete(id)
    this.#sizes.set(id, size)
    dropOldest(this.#sizes, MAX_KNOWN)
    return { isReadable, ...(at !== undefined && { answeredAt: at }) }
  }
}
