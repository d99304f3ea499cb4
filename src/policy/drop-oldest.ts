/** Keeps a map at its newest entries: those that were set last. */
export function dropOldest(map: Map<string, unknown>, max: number) {
  for (const oldest of map.keys()) {
    if (map.size <= max) return
    map.delete(oldest)
  }
}
