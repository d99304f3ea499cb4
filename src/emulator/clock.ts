/** The emulator's time. It runs with the time it was given, plus what it was moved by. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number
  /** Moves the time forward: keys expire, grace periods end, the agent works on. */
  advance(milliseconds: number): void
  /** Sets the time; it goes on running from there. */
  set(unixMilliseconds: number): void
}

/** The offset lies with the state, so that it is kept in the state file. */
export interface Offset {
  get(): number
  set(milliseconds: number): void
}

/** Makes a clock that runs with `base`. */
export function makeClock(base: () => number, offset: Offset): Clock {
  const now = () => Math.floor(base()) + offset.get()
  return {
    now,
    advance: (milliseconds) => offset.set(offset.get() + checked(milliseconds)),
    set: (unixMilliseconds) => offset.set(offset.get() + checked(unixMilliseconds) - now()),
  }
}

function checked(milliseconds: number) {
  if (Number.isSafeInteger(milliseconds)) return milliseconds
  throw new RangeError(`clock: not a whole number of milliseconds: ${milliseconds}`)
}
