import { join } from 'node:path'
import * as z from 'zod'
import { askedSchema, messageSchema } from '../delivery.ts'
import { kinds } from '../event/kind.ts'
import { replaceUnsynced } from '../fs/durable.ts'
import { Fresh } from '../fs/fresh.ts'
import { readQuietly } from '../fs/read.ts'

/** More than fit on any screen. */
const MAX_SHOWN = 100

const shownSchema = z.object({
  channel: z.string(),
  session: z.string(),
  event: z.string().describe('Id of the first event that it reports'),
  client: z.string(),
  sessionId: z.string(),
  kind: z.enum(kinds),
  at: z.number().describe('When that event was accepted, Unix ms'),
  knownAt: z
    .number()
    .optional()
    .describe('When the latest event of its session was accepted that was known when it was told'),
  questions: z.array(askedSchema),
  tellsMore: z.boolean().optional().describe('Whether it tells of something besides questions'),
  told: z
    .object({ events: z.array(z.string()), message: messageSchema })
    .optional()
    .describe('What it told, if its text can be replaced when only some questions are answered'),
  left: z.array(z.string()).optional().describe('Ids of answered questions that it no longer has'),
  handle: z.string(),
  sessionEnv: z.record(z.string(), z.string()),
})

/** A message that stays where it is shown until it is withdrawn or replaced. */
export type Shown = z.output<typeof shownSchema>

const fileSchema = z.object({ format: z.literal(1), shown: z.array(shownSchema) })

/**
 * Messages that are shown and can be withdrawn, oldest first. They are on the disk, since a worker may end long before
 * a person answers; another worker may write there too. If the file is unusable, messages just stay shown.
 */
export class ShownMessages {
  readonly #path: string
  readonly #saved = new Fresh(() => this.#readNow())

  constructor(stateDir: string) {
    this.#path = join(stateDir, 'shown.json')
  }

  list(): readonly Shown[] {
    return this.#saved.get()
  }

  #readNow(): readonly Shown[] {
    const text = readQuietly(this.#path)
    if (text === undefined) return []
    try {
      return fileSchema.parse(JSON.parse(text)).shown
    } catch {
      return []
    }
  }

  /** @returns whether it is saved */
  add(shown: Shown): boolean {
    const others = this.#readNow().filter((one) => !isSame(one, shown))
    return this.#write([...others, shown].slice(-MAX_SHOWN))
  }

  /** @returns whether it was in the list: then the caller alone may withdraw it */
  remove(shown: Shown): boolean {
    const all = this.#readNow()
    const others = all.filter((one) => !isSame(one, shown))
    if (others.length === all.length) return false
    this.#write(others)
    return true
  }

  #write(shown: readonly Shown[]): boolean {
    try {
      replaceUnsynced(this.#path, JSON.stringify({ format: 1, shown }))
      this.#saved.forget()
      return true
    } catch {
      // A full disk: at worst a notification stays until somebody dismisses it.
      return false
    }
  }
}

function isSame(one: Shown, other: Shown): boolean {
  return one.channel === other.channel && one.handle === other.handle
}
