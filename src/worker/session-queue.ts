/** Nobody waits longer for the event before: a transcript on a slow disk holds up only its own event. */
const PATIENCE_MS = 2000

/** Prepares the events of one session one after the other, so that they are judged and queued in order of acceptance. */
export class SessionQueue {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Does the work when those before it in the session have ended, or after some seconds. */
  runInOrder<Result>(session: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(session)
    const running = before ? patiently(before).then(work) : work()
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

async function patiently(before: Promise<unknown>) {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS)
  })
  await Promise.race([before, patience])
  clearTimeout(timer)
}
