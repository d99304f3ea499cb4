/**
 * Wraps a callback of the user, so that an error in it does not make a successful call fail. If the callback is
 * async, its rejection does not end the process either.
 */
export function swallowErrors<Value>(callback: (value: Value) => unknown) {
  return async (value: Value) => {
    try {
      await callback(value)
    } catch {
      // There is nobody to report the error to.
    }
  }
}
