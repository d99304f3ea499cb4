const watched = new WeakMap<AbortSignal, Set<() => void>>()

/**
 * Runs a callback when a signal is aborted; the returned function removes the callback. All callbacks of
 * a signal share one listener, since Node.js warns of a leak when one signal has many listeners.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const callbacks = watched.get(signal) ?? new Set()
  watched.set(signal, callbacks)
  if (callbacks.size === 0) signal.addEventListener('abort', runAll)
  callbacks.add(callback)
  return () => {
    callbacks.delete(callback)
    if (callbacks.size === 0) signal.removeEventListener('abort', runAll)
  }
}

function runAll(this: AbortSignal) {
  for (const callback of [...(watched.get(this) ?? [])]) callback()
}
