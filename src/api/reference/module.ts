export const HEADER = '// Written by `npm run gen` from the table in src/api/endpoints/.\n'

/** The import lines for the identifiers that a text uses. */
export function importsOf(
  text: string,
  modules: readonly [path: string, words: readonly string[]][],
) {
  return modules
    .map(([path, words]) => {
      const used = words.filter((word) => new RegExp(`\\b${word}\\b`).test(text)).sort()
      return used.length > 0 ? `import type { ${used.join(', ')} } from '${path}'\n` : ''
    })
    .join('')
}
