const watched = new WeakMap<AbortSignal, { callbacks: Set<() => void>; forget: () => void }>()

/**
 * Runs a callback when a signal is aborted; the function it gives takes that back. All callbacks of a
 * signal share one listener, since Node.js warns of a leak when many calls wait for one signal.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, forget } = watched.get(signal) ?? watch(signal)
  callbacks.add(callback)
  return () => {
    callbacks.delete(callback)
    if (callbacks.size === 0) forget()
  }
}

function watch(signal: AbortSignal) {
  const callbacks = new Set<() => void>()
  const onEvent = () => {
    for (const callback of [...callbacks]) callback()
  }
  const forget = () => {
    watched.delete(signal)
    signal.removeEventListener('abort', onEvent)
  }
  const entry = { callbacks, forget }
  watched.set(signal, entry)
  signal.addEventListener('abort', onEvent)
  return entry
}
