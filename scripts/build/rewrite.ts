import { readFileSync, writeFileSync } from 'node:fs'
import { transformSync } from 'esbuild'

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

/**
 * In Node.js 20, V8 gives each object of `{ ...base, added }` a hidden class of its own, which slows down all code that
 * sees it, but not of `{ ...null, ...base, added }`. A pattern that begins with `...` ends after it, so it is left alone.
 */
export function keepShapes(path: string) {
  const text = readFileSync(path, 'utf8')
  const spreadFirst = /\{\.\.\.(?=[\w$(#])(?![\w$.#]+\})/g
  writeFileSync(path, text.replace(spreadFirst, '{...null,...'))
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

/** Requires each module of Node.js once: esbuild does it for each source file, under a name with another number. */
export function requireOnce(path: string) {
  const text = readFileSync(path, 'utf8').replace(/\b(import_node_[a-z_]+)\d+\b/g, '$1')
  const seen = new Set<string>()
  const first = (declared: string, name: string) =>
    seen.size < seen.add(name).size ? declared : name
  const once = text.replace(/\b(import_node_\w+)=require\("node:\w+"\)/g, first)
  // Without its value, a second declaration changes nothing.
  const others = /\bvar (?:import_node_\w+[,;])+/g
  writeFileSync(
    path,
    once.replace(others, (names) => (names.endsWith(',') ? 'var ' : '')),
  )
}

/** Shortens local names, which makes V8's cached code a tenth smaller. */
export function shortenNames(path: string) {
  const options = { minify: true, format: 'cjs', charset: 'ascii', target: 'node20.18' } as const
  writeFileSync(path, transformSync(readFileSync(path, 'utf8'), options).code)
}
