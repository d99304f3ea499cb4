import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

// The specifiers of imports and re-exports, also inside types: import("./x.ts").
const RELATIVE = /((?:from |import\(|import )["'])(\.{1,2}\/[^"']*)\.ts(["'])/g

/**
 * Makes declaration files that every resolver can follow. The compiler leaves `.ts` in their imports; an ESM
 * consumer needs `.js`. Files in the folders in `both` get a copy for CommonJS as well, since a `.d.ts` in this
 * package describes an ES module, which must not be required. Files that no entry needs are removed.
 */
export function finishDeclarations(
  folder: string,
  entries: readonly string[],
  both: readonly string[],
) {
  const needed = reachableFrom(entries.map((entry) => join(folder, entry)))
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = join(folder, path)
    if (!path.endsWith('.d.ts')) continue
    if (!needed.has(file)) {
      rmSync(file)
      continue
    }
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace(RELATIVE, '$1$2.js$3'))
    if (!both.some((name) => path.startsWith(`${name}/`))) continue
    const copy = path.replace(/\.d\.ts$/, '.d.cts')
    writeFileSync(join(folder, copy), text.replace(RELATIVE, '$1$2.cjs$3'))
  }
  removeEmpty(folder)
}

/** The entries and every declaration file that they refer to. */
function reachableFrom(entries: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  const open = [...entries]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (found.has(file) || !existsSync(file)) continue
    found.add(file)
    for (const [, , path = ''] of readFileSync(file, 'utf8').matchAll(RELATIVE))
      open.push(join(dirname(file), `${path}.d.ts`))
  }
  return found
}

function removeEmpty(folder: string) {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmpty(join(folder, entry.name))
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}
