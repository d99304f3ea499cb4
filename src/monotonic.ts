/** Milliseconds of the monotonic clock. The first use of `performance.now()` would cost 2 ms to load its module. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

/**
 * A clock in milliseconds that never goes back and counts the time a machine slept. The monotonic clock stands still
 * during suspend and the wall clock can be set back, so this one takes the larger step of the two.
 */
export function makeSteadyClock(
  monotonic: () => number = monotonicMs,
  wall: () => number = Date.now,
): () => number {
  let [lastMonotonic, lastWall, elapsed] = [monotonic(), wall(), 0]
  return () => {
    const [nowMonotonic, nowWall] = [monotonic(), wall()]
    elapsed += Math.max(nowMonotonic - lastMonotonic, nowWall - lastWall, 0)
    ;[lastMonotonic, lastWall] = [nowMonotonic, nowWall]
    return elapsed
  }
}
