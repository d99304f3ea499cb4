/**
 * One item per line, with a bullet or its number; further lines of an item are indented to its text.
 * @param first the number of the first item; without it the items have bullets
 */
export function listOfLines(items: readonly string[], first?: number): string {
  return items
    .map((item, index) => {
      const mark = first === undefined ? '•' : `${first + index}.`
      return `${mark} ${item.replaceAll('\n', `\n${' '.repeat(mark.length + 1)}`)}`
    })
    .join('\n')
}
