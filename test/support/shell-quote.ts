/** Quotes one word for a shell: the path of the clone may contain any characters. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** Escapes a path for a place inside a quoted shell word that is itself in a JSON string. */
export function inJsonCommand(path: string): string {
  return JSON.stringify(shellQuote(path).slice(1, -1)).slice(1, -1)
}
