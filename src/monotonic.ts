/** Milliseconds of the monotonic clock. The first use of `performance.now()` would cost 2 ms to load its module. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}
