/** Milliseconds of a clock that nobody sets, as `performance.now()`: that loads a module of 2 ms at its first use. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}
