/** The emulator's time: that of its base clock, plus the offset by which it was moved. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /** Moves the time forward: keys expire, grace periods end, the agent works on. */
  advance(milliseconds: number): void
  /** Sets the time; it goes on running from there. */
  set(unixMilliseconds: number): void
}

/** Access to the offset, which is part of the state, so that the state file keeps it. */
interface Offset {
  get(): number
  set(milliseconds: number): void
}

// Later years have five digits, which analytics does not accept.
const LATEST = Date.UTC(9999, 11, 31)

/** Makes a clock that adds the offset to `base`. */
export function makeClock(base: () => number, offset: Offset): Clock {
  const now = () => Math.floor(base()) + offset.get()
  return {
    now,
    advance: (milliseconds) => moveBy(milliseconds),
    set: (unixMilliseconds) => moveBy(unixMilliseconds - now()),
  }

  function moveBy(milliseconds: number) {
    if (!Number.isSafeInteger(milliseconds)) {
      throw new RangeError(`clock: not a whole number of milliseconds: ${milliseconds}`)
    }
    const time = now() + milliseconds
    if (time < 0 || time > LATEST) throw new RangeError('clock: stays between 1970 and 9999')
    offset.set(offset.get() + milliseconds)
  }
}
