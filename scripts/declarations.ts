import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// The specifiers of imports and re-exports, also inside types: import("./x.ts").
const RELATIVE = /((?:from |import\(|import )["']\.{1,2}\/[^"']*)\.ts(["'])/g

/**
 * Makes declaration files that every resolver can follow. The compiler leaves `.ts` in them; an ESM consumer
 * wants `.js`. The rooms in `both` get a copy for CommonJS as well, since a `.d.ts` in this package
 * describes an ES module and no `require` may give one.
 */
export function finishDeclarations(folder: string, both: readonly string[]) {
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.d.ts')) continue
    const text = readFileSync(join(folder, path), 'utf8')
    writeFileSync(join(folder, path), text.replace(RELATIVE, '$1.js$2'))
    if (!both.some((room) => path.startsWith(`${room}/`))) continue
    const copy = path.replace(/\.d\.ts$/, '.d.cts')
    writeFileSync(join(folder, copy), text.replace(RELATIVE, '$1.cjs$2'))
  }
}
