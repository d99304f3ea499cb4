/** How often something occurs. */
export interface Count {
  name: string
  count: number
}

/** How often each name occurs, most frequent first. */
export function countByName(names: readonly string[]): Count[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((one, other) => other.count - one.count)
}
