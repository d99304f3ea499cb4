import { join } from 'node:path'
import * as z from 'zod'
import { replaceUnsynced } from '../../fs/durable.ts'
import { readQuietly } from '../../fs/read.ts'

const MAX_EVENTS = 100

const schema = z.record(z.string(), z.string())

/**
 * The channel that each of hookbell's own events is for, whatever the routes say; absent once it is delivered. Not kept
 * in the spool: the content of an event file must not choose a channel. Another worker may write the file too.
 */
export class OwnChannels {
  readonly #path: string

  constructor(stateDir: string) {
    this.#path = join(stateDir, 'own-channels.json')
  }

  /** @param id of the event */
  get(id: string): string | undefined {
    return this.#read().get(id)
  }

  set(id: string, channel: string) {
    this.#write([...this.#read(), [id, channel]])
  }

  delete(id: string) {
    const known = this.#read()
    if (known.delete(id)) this.#write([...known])
  }

  #read(): Map<string, string> {
    try {
      return new Map(Object.entries(schema.parse(JSON.parse(readQuietly(this.#path) ?? '{}'))))
    } catch {
      return new Map()
    }
  }

  /** Best effort: without it, such as on a full disk, a later worker uses the routes. */
  #write(known: [string, string][]) {
    try {
      replaceUnsynced(this.#path, JSON.stringify(Object.fromEntries(known.slice(-MAX_EVENTS))))
    } catch {}
  }
}
