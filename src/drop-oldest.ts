/** Evicts the entries that were added first, until the collection has at most `max`. */
export function dropOldest(entries: Map<string, unknown> | Set<string>, max: number) {
  for (const oldest of entries.keys()) {
    if (entries.size <= max) return
    entries.delete(oldest)
  }
}

/** Adds an item that the list does not have. A full list loses its first one. */
export function addLimited<Item extends { id: string; at: number }>(
  list: Item[],
  item: Item,
  max: number,
) {
  if (list.some(({ id }) => id === item.id)) return
  // The item was dropped earlier because the list was full; adding it again would reorder the list.
  if (list.length === max && item.at <= (list[0]?.at ?? 0)) return
  list.push(item)
  if (list.length > max) list.shift()
}
