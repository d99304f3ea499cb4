/** How long an event waits for the one before it: a transcript on a slow disk must delay only its own event. */
const PATIENCE_MS = 2000

/** Runs the work of one session one after another, so that its events are judged and queued in order of acceptance. */
export class SessionQueue {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs the work when the session's earlier work has ended, or after `PATIENCE_MS`. */
  runInOrder<Result>(session: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(session)
    const running = before ? waitBriefly(before).then(work) : work()
    const ended = running.then(
      () => {},
      () => {},
    )
    this.#last.set(session, ended)
    void ended.then(() => {
      if (this.#last.get(session) === ended) this.#last.delete(session)
    })
    return running
  }
}

async function waitBriefly(before: Promise<unknown>) {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS)
  })
  await Promise.race([before, patience])
  clearTimeout(timer)
}
