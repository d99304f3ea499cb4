/** Evicts the entries that were added first, until the collection has at most `max`. */
export function dropOldest(entries: Map<string, unknown> | Set<string>, max: number) {
  for (const oldest of entries.keys()) {
    if (entries.size <= max) return
    entries.delete(oldest)
  }
}
