/**
 * Items below each other, each with a mark or its number; further lines of an item stand in line with its text.
 * @param first the number of the first item; without one they have none
 */
export function listOfLines(items: readonly string[], first?: number): string {
  return items
    .map((item, index) => {
      const mark = first === undefined ? '•' : `${first + index}.`
      return `${mark} ${item.replaceAll('\n', `\n${' '.repeat(mark.length + 1)}`)}`
    })
    .join('\n')
}
