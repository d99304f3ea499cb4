import { join } from 'node:path'
import * as z from 'zod'
import { replaceFile } from '../../fs/durable.ts'
import { Fresh } from '../../fs/fresh.ts'
import { readQuietly } from '../../fs/read.ts'

const MAX_UNREACHED = 50
const MAX_CHANNELS = 100

const stateSchema = z.object({
  format: z.literal(1),
  unreached: z.array(z.object({ id: z.string(), text: z.string() })),
  deadChannels: z.array(z.string()),
})

type AlarmState = Omit<z.output<typeof stateSchema>, 'format'>

/** Questions that reached nobody yet, and dead channels already reported. Another worker may write the file too. */
export class AlarmFile {
  readonly #path: string
  readonly #saved = new Fresh(() => this.#readNow())

  constructor(stateDir: string) {
    this.#path = join(stateDir, 'alarms.json')
  }

  read(): AlarmState {
    return this.#saved.get()
  }

  #readNow(): AlarmState {
    try {
      return stateSchema.parse(JSON.parse(readQuietly(this.#path) ?? ''))
    } catch {
      return { unreached: [], deadChannels: [] }
    }
  }

  /** Best effort: `status` and the journal also show the same facts. */
  write({ unreached, deadChannels }: AlarmState) {
    try {
      const state = {
        format: 1,
        unreached: unreached.slice(-MAX_UNREACHED),
        deadChannels: deadChannels.slice(-MAX_CHANNELS),
      }
      replaceFile(this.#path, JSON.stringify(state))
      this.#saved.forget()
    } catch {
      // Such as a full disk.
    }
  }
}
