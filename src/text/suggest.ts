/** A word that differs in more letters is another one, however long it is. */
const MOST_ERRORS = 3

/** The known word that was most likely meant, or undefined. */
export function closest(word: string, known: readonly string[]): string | undefined {
  const scored = known
    .map((one) => ({ one, distance: distance(word.toLowerCase(), one.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const [best] = scored
  const longer = known.filter((one) => word.length > 2 && one.startsWith(word.toLowerCase()))
  if (longer.length === 1) return longer[0]
  const most = best ? Math.min(MOST_ERRORS, Math.max(1, Math.floor(best.one.length / 4))) : 0
  return best && best.distance <= most ? best.one : undefined
}

/** The hint for an unknown word. @param title what the known ones are called, if there is no similar one */
export function didYouMean(word: string, known: readonly string[], title = 'Known'): string {
  const meant = closest(word, known)
  return meant ? `Did you mean "${meant}"?` : `${title}: ${known.join(', ')}`
}

/** How many letters have to be added, removed, changed or swapped with their neighbour. */
function distance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        (rows[row - 1]?.[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (rows[row - 1]?.[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (rows[row - 2]?.[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    rows.push(current)
  }
  return rows[from.length]?.[to.length] ?? 0
}
