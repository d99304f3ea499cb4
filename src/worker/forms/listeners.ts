import { setTimeout as sleep } from 'node:timers/promises'
import type { Destination } from '../../deliver/attempt.ts'
import { describeError } from '../../errors.ts'
import type { Input } from '../../notifiers/define.ts'
import { DeliveryError } from '../../notifiers/define.ts'
import { waitAtMost } from '../../patience.ts'

const FIRST_PAUSE_MS = 1000
const MAX_PAUSE_MS = 60_000
/** How long an ending worker waits until they have told people what became of their answers. */
const PATIENCE_MS = 5000

interface ListenerDeps {
  extraCaFile(): string | undefined
  onInput(listener: string, input: Input): Promise<string>
  /** Called with what is in the way; with '' once it is gone. */
  onProblem(listener: string, problem: string): void
}

interface Listener {
  stop: AbortController
  ended: Promise<void>
  /** As the configuration has it now. */
  destination: Destination
}

/** Hears what people do on channels: one reader for each bot, for as long as it is wanted. */
export class Listeners {
  readonly #deps: ListenerDeps
  readonly #running = new Map<string, Listener>()

  constructor(deps: ListenerDeps) {
    this.#deps = deps
  }

  /** Starts and stops them, so that these run and no others. One that is ending starts again at a later call. */
  set(wanted: ReadonlyMap<string, Destination>) {
    for (const [name, { stop }] of this.#running) if (!wanted.has(name)) stop.abort()
    for (const [name, destination] of wanted) {
      const running = this.#running.get(name)
      if (running) running.destination = destination
      else this.#start(name, destination)
    }
  }

  async close() {
    this.set(new Map())
    await waitAtMost(PATIENCE_MS, Promise.all([...this.#running.values()].map((one) => one.ended)))
  }

  #start(name: string, destination: Destination) {
    const listener = { stop: new AbortController(), ended: Promise.resolve(), destination }
    this.#running.set(name, listener)
    listener.ended = this.#run(name, listener).finally(() => this.#running.delete(name))
  }

  async #run(name: string, listener: Listener) {
    const { extraCaFile, onInput, onProblem } = this.#deps
    const { signal } = listener.stop
    let pauseMs = FIRST_PAUSE_MS
    let problem = ''
    const note = (text: string) => {
      if (text !== problem) onProblem(name, text)
      problem = text
    }
    const onReady = () => {
      pauseMs = FIRST_PAUSE_MS
      note('')
    }
    while (!signal.aborted) {
      const { notifier, options } = listener.destination
      const context = {
        ...{ signal, onReady, extraCaFile: extraCaFile() },
        onInput: (input: Input) => onInput(name, input),
      }
      try {
        await notifier.answers?.listen(options, context)
      } catch (error) {
        const hint = error instanceof DeliveryError && error.hint ? ` (${error.hint})` : ''
        note(describeError(error) + hint)
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)
    }
  }
}
