/** A callback that throws must not turn a call that worked into one that failed. */
export function swallowErrors<Value>(callback: (value: Value) => void) {
  return (value: Value) => {
    try {
      callback(value)
    } catch {
      // Its owner has no other way to hear of it, and neither do we.
    }
  }
}
