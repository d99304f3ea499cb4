/**
 * The timers as they were when the library was loaded. A test that fakes the timers of its own program
 * (`vi.useFakeTimers()`) would otherwise stop every call.
 */
export const { setTimeout, clearTimeout, setImmediate } = globalThis

/** Undefined where there is none, as in a browser. */
export const { process } = globalThis

/** Whether a test has replaced the timers since. */
export function areTimersFaked(): boolean {
  return globalThis.setImmediate !== setImmediate
}

// What a bundler puts in the place of `process` has less.
const hrtime = process?.hrtime?.bigint

/** A monotonic clock, in milliseconds. Avoids `performance`, whose first use takes Node.js 2 ms. */
export const now: () => number = hrtime ? () => Number(hrtime()) / 1e6 : () => performance.now()
