/** Wraps a callback of the user, so that an error in it does not make a successful call fail. */
export function swallowErrors<Value>(callback: (value: Value) => void) {
  return (value: Value) => {
    try {
      callback(value)
    } catch {
      // There is nobody to report the error to.
    }
  }
}
