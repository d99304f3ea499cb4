/**
 * The timers as they were when the library was loaded. A test that fakes the timers of its own program
 * (`vi.useFakeTimers()`) would otherwise stop every call.
 */
export const { setTimeout, clearTimeout, setImmediate } = globalThis

/** Milliseconds of a clock that only goes forward. */
export const now: () => number = performance.now.bind(performance)
