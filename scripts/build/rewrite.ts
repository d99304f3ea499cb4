import { readFileSync, writeFileSync } from 'node:fs'

/** Turns imports of other CommonJS files into `require`, which avoids the loader of ES modules. */
export function requireCommands(path: string) {
  const text = readFileSync(path, 'utf8')
  const required = (_: string, file: string, source?: string) =>
    `Promise.resolve().then(()=>require("${file}")${source ? `.load["${source}"]()` : ''})`
  const imports = /\bimport\("(\.\/[\w/-]+\.cjs)(?:#([^"]+))?"\)/g
  writeFileSync(path, text.replace(imports, required))
}

/** esbuild's `charset: 'ascii'` leaves regular expressions as they are. */
export function escapeRegexes(path: string) {
  const text = readFileSync(path, 'utf8')
  const inAscii = (character: string) =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  writeFileSync(path, text.replace(/[^\0-\x7f]/g, inAscii))
}

/** Lets the file that loads this one do its imports, since V8's cached code cannot import. */
export function importFromStart(path: string) {
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replaceAll(/\bimport\(("[^"]+")\)/g, 'importPart($1)'))
}

/**
 * Makes the text of a CommonJS file a function of `exports`, `require`, its path, and a function that imports for it, so
 * that it can be loaded as it is.
 */
export function makeFunction(path: string) {
  const text = readFileSync(path, 'utf8')
  const head = '(function(exports,require,__filename,importPart){const module={exports};'
  writeFileSync(path, `${head}${text}\n;return module.exports})`)
}
