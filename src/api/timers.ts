/**
 * The timers as they were when the library was loaded. A test that fakes the timers of its own program
 * (`vi.useFakeTimers()`) would otherwise stop every call.
 */
export const { setTimeout, clearTimeout, setImmediate } = globalThis

/** Whether a test has replaced the timers since. */
export function areTimersFaked(): boolean {
  return globalThis.setImmediate !== setImmediate
}

/** Milliseconds of a clock that only goes forward. */
export const now: () => number = performance.now.bind(performance)
