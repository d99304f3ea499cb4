/** Evicts the entries that were set first, until the map has at most `max`. */
export function dropOldest(map: Map<string, unknown>, max: number) {
  for (const oldest of map.keys()) {
    if (map.size <= max) return
    map.delete(oldest)
  }
}
