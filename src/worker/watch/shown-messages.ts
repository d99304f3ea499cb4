import { join } from 'node:path'
import * as z from 'zod'
import { askedSchema, messageSchema } from '../../delivery.ts'
import { kinds } from '../../event/kind.ts'
import { replaceUnsynced } from '../../fs/durable.ts'
import { Fresh } from '../../fs/fresh.ts'
import { readQuietly } from '../../fs/read.ts'
import { waitAtMost } from '../../patience.ts'

/** More than fit on any screen. */
const MAX_SHOWN = 100
/** How long a message waits until it knows which one it replaces. Most requests take less. */
const PATIENCE_MS = 2000

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
    .describe('When the latest event of its session was accepted that was known when it was sent'),
  questions: z.array(askedSchema),
  tellsMore: z.boolean().optional().describe('Whether it tells of something besides questions'),
  asks: z.boolean().optional().describe('Whether it tells of a turn that asks something'),
  told: z
    .object({ events: z.array(z.string()), message: messageSchema })
    .optional()
    .describe('What it told, if its text can be replaced when only some questions are answered'),
  left: z.array(z.string()).optional().describe('Ids of answered questions that it no longer has'),
  handle: z.string(),
  takenUntil: z.number().optional().describe('Until when only one worker may change it, Unix ms'),
  sessionEnv: z.record(z.string(), z.string()),
})

/** A message that stays where it is shown until it is withdrawn or replaced. */
export type Shown = z.output<typeof shownSchema>

type Place = Pick<Shown, 'channel' | 'session'>

const fileSchema = z.object({ format: z.literal(1), shown: z.array(shownSchema) })

/**
 * Messages that are shown and can be withdrawn, oldest first. They are on the disk, since a worker may end long before
 * a person answers; another worker may write there too. If the file is unusable, messages just stay shown.
 */
export class ShownMessages {
  readonly #path: string
  readonly #now: () => number
  /** Changes by this worker that are under way. */
  readonly #changes = new Map<Promise<void>, Place>()
  readonly #saved = new Fresh(() => this.#readNow())

  constructor(stateDir: string, now: () => number) {
    this.#path = join(stateDir, 'shown.json')
    this.#now = now
  }

  list(): readonly Shown[] {
    return this.#saved.get()
  }

  latest({ channel, session }: Place): Shown | undefined {
    return this.list().findLast((one) => one.channel === channel && one.session === session)
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
  add({ takenUntil: _, ...shown }: Shown): boolean {
    return this.#write([...this.#others(shown), shown].slice(-MAX_SHOWN))
  }

  /**
   * Takes a message to change or replace it, until it is added or removed. If the worker is killed before that, another
   * one may take it after `until`, Unix ms.
   * @returns false if it is not in the list, or taken
   */
  take(shown: Shown, until: number): boolean {
    const known = this.#readNow().find((one) => isSame(one, shown))
    const { takenUntil = 0 } = known ?? {}
    // A time further ahead than any worker sets means that the clock was set back.
    const isTaken = takenUntil > this.#now() && takenUntil <= until
    if (!known || isTaken) return false
    const others = this.#others(shown)
    this.#write([...others, { ...known, takenUntil: until }])
    return true
  }

  /** Takes a message, unless that is impossible, and does the work that adds or removes it. */
  async change(shown: Shown, until: number, work: () => Promise<void>) {
    if (!this.take(shown, until)) return
    const end = this.#begin(shown)
    try {
      await work()
    } finally {
      end()
    }
  }

  /**
   * For a message that may replace another one: waits while this worker changes or sends one there, but not for long,
   * since a question must not wait for a request that hangs. @returns the function to call when it is sent
   */
  async beginAlone(place: Place): Promise<() => void> {
    const earlier = [...this.#changes].flatMap(([change, { channel, session }]) =>
      channel === place.channel && session === place.session ? [change] : [],
    )
    const end = this.#begin(place)
    await waitAtMost(PATIENCE_MS, Promise.all(earlier))
    return end
  }

  #begin(place: Place): () => void {
    let resolve = () => {}
    const change = new Promise<void>((end) => {
      resolve = end
    })
    this.#changes.set(change, place)
    return () => {
      this.#changes.delete(change)
      resolve()
    }
  }

  remove(shown: Shown) {
    this.#write(this.#others(shown))
  }

  #others(shown: Shown): Shown[] {
    return this.#readNow().filter((one) => !isSame(one, shown))
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
