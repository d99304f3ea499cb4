import { waitAtMost } from '../../patience.ts'

/** How long an event may take before the next one of its session goes on: a slow disk must delay only its own event. */
const PATIENCE_MS = 5000

interface Turn {
  started: Promise<unknown>
  ended: Promise<void>
}

/** Runs the work of one session one after another, so that its events are judged and queued in order of acceptance. */
export class SessionQueue {
  readonly #last = new Map<string, Turn>()

  /** Runs the work when the session's earlier work has ended, or has taken `PATIENCE_MS` since it began. */
  runInOrder<Result>(session: string, work: () => Promise<Result>): Promise<Result> {
    const free = this.whenFree(session)
    const started = free ?? Promise.resolve()
    const running = free ? free.then(work) : work()
    const ended = running.then(
      () => {},
      () => {},
    )
    const turn = { started, ended }
    this.#last.set(session, turn)
    void ended.then(() => {
      if (this.#last.get(session) === turn) this.#last.delete(session)
    })
    return running
  }

  /** Resolves when work of the session that came now would run; undefined if that is at once. */
  whenFree(session: string): Promise<unknown> | undefined {
    const last = this.#last.get(session)
    // Not counted from now: on a busy machine a long queue would run out of patience although none of its work is slow.
    return last?.started.then(() => waitAtMost(PATIENCE_MS, last.ended))
  }
}
