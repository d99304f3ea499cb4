import { startReceiver } from '../support/receiver.ts'

interface Place {
  requests: number
  /** When the latest request was handled. */
  at: number
  readyAt: number
  /** The accepted bodies, in order. */
  taken: string[]
}

/** Minimum time between two requests to a path that begins with `/slow`: the rate limit of Slack. */
const PACE_MS = 1000

/**
 * A receiver with a rate limit for each path. It notes each request that comes too early: before the rate limit allows
 * it, or before the time of its Retry-After. A busy machine may handle a request long after it was sent, but it was sent
 * after the one before it was answered: the rate is counted from there. With `refuseEvery` it rejects some requests on purpose.
 */
export async function startStrictReceiver({ refuseEvery = 0 } = {}) {
  const places = new Map<string, Place>()
  const tooEarly: string[] = []
  let held: { hub: string; onHeld(): void } | undefined
  const { url } = await startReceiver({
    script: [
      ({ path, body, headers }) => {
        const now = performance.now()
        const place = places.get(path) ?? { requests: 0, at: 0, readyAt: 0, taken: [] }
        places.set(path, place)
        place.requests += 1
        if (now < place.readyAt) {
          tooEarly.push(`${path}: ${Math.ceil(place.readyAt - now)} ms`)
          return { status: 429, headers: { 'retry-after': '1' } }
        }
        place.readyAt = path.startsWith('/slow') ? place.at + PACE_MS : 0
        place.at = now
        const turn = refuseEvery > 0 ? place.requests % (2 * refuseEvery) : 1
        if (turn === refuseEvery) return { status: 503 }
        if (turn === 0) {
          place.readyAt = now + 1000
          return { status: 429, headers: { 'retry-after': '1' } }
        }
        place.taken.push(body)
        if (held && headers['x-hub'] === held.hub) {
          held.onHeld()
          held = undefined
          return 'blackhole'
        }
        return { body: 'ok' }
      },
    ],
  })
  return {
    ...{ url, tooEarly },
    takenAt: (name: string) => places.get(`/${name}`)?.taken ?? [],
    /** Accepts the next message of that hub without a response. Resolves when the message has arrived. */
    holdNext: (hub: string) =>
      new Promise<void>((onHeld) => {
        held = { hub, onHeld }
      }),
  }
}
