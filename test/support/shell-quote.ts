/** Quotes one word for a shell: the path of the clone may contain any characters. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** How a path is written inside a quoted word of a shell, in a string of JSON. */
export function inJsonCommand(path: string): string {
  return JSON.stringify(shellQuote(path).slice(1, -1)).slice(1, -1)
}
