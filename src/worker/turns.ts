/** Nobody waits longer for those before: their destination is slow, and what is tried later loses its place anyway. */
const PATIENCE_MS = 2000

export interface Turn {
  /** Resolves when those before have ended, or patience has. */
  wait(): Promise<void>
  end(): void
}

/** Lines in which events of one session stand, so that a channel hears of them in the order of acceptance. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>()

  /** Takes a place at the end of a line, at once. */
  take(line: string): Turn {
    const before = this.#last.get(line)
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#last.set(line, ended)
    return {
      wait: () => patiently(before),
      end: () => {
        if (this.#last.get(line) === ended) this.#last.delete(line)
        end()
      },
    }
  }
}

/** Does the work when it is its turn. */
export async function inTurn<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result> {
  try {
    await turn.wait()
    return await work()
  } finally {
    turn.end()
  }
}

async function patiently(before: Promise<void> | undefined) {
  if (!before) return
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS)
  })
  await Promise.race([before, patience])
  clearTimeout(timer)
}
