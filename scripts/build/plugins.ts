import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Plugin } from 'esbuild'
import { lazyNames } from '../../src/lazy-zod.ts'

const FILLED_ENUM =
  /^\(function \((?:CharacterCodes|ParseErrorCode|ScanError|SyntaxKind)\) \{$[\s\S]*?^\}\).*$/gm

/** Sources below src/ and packages, by their names in dist/. */
export interface NamedSources {
  [name: string]: string
}

interface Parts {
  /** Packages that are not bundled. */
  external: readonly string[]
  /** Parts that are built as CommonJS. */
  quickParts: NamedSources
  /** Receives the others. */
  parts: NamedSources
}

/** esbuild cannot split a CommonJS program, so its dynamic imports become ES modules with chunks of their own. */
export function leavePartsOut({ external, quickParts, parts }: Parts): Plugin {
  return {
    name: 'parts',
    setup({ onResolve, resolve }) {
      onResolve({ filter: /./ }, async ({ path, kind, resolveDir }) => {
        if (kind !== 'dynamic-import' || external.includes(path)) return undefined
        const source = (await resolve(path, { kind: 'import-statement', resolveDir })).path
        const name = path.startsWith('.') ? relative('src', source).replace(/\.ts$/, '') : path
        const quick = Object.keys(quickParts).find((one) => quickParts[one] === name)
        if (quick) return { path: `./${quick}.cjs`, external: true }
        parts[`parts/${name}`] = source
        return { path: `./parts/${name}.js`, external: true }
      })
    },
  }
}

export function leaveWorkerPartsOut(names: readonly string[]): Plugin {
  return {
    name: 'worker parts',
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`^(${names.join('|')})$`) }, ({ path }) => ({
        path: `./worker-parts/${path}.cjs`,
        external: true,
      }))
    },
  }
}

/** See src/lazy-zod.ts. */
export function makeZodLazy(): Plugin {
  const functions = lazyNames.map((name) => `const ${name}_ = z.${name}`).join('\n')
  const names = [...lazyNames.map((name) => `${name}_ as ${name}`), 'regexes_ as regexes']
  const contents = `import { lazyZod } from './src/lazy-zod.ts'
    const z = lazyZod(() => require('./worker-parts/zod.cjs'))
    ${functions}
    const regexes_ = z.regexes
    export { ${names.join(', ')} }`
  return {
    name: 'lazy zod',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^zod$/ }, () => ({ path: 'zod', namespace: 'lazy' }))
      onResolve({ filter: /worker-parts/ }, ({ path }) => ({ path, external: true }))
      onLoad({ filter: /./, namespace: 'lazy' }, () => ({ contents, resolveDir: '.' }))
    },
  }
}

/**
 * Drops what jsonc-parser does when it is loaded: it prepares its formatter, which these programs do not use, and fills
 * enums, which nobody reads because their values are written into its code.
 */
export function trimJsonParser(): Plugin {
  return {
    name: 'jsonc-parser',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\/string-intern$/ }, ({ path, resolveDir }) => ({
        path: join(resolveDir, `${path}.js`),
        sideEffects: false,
      }))
      onLoad({ filter: /jsonc-parser.lib.esm.(main|impl.scanner)\.js$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8').replace(FILLED_ENUM, ''),
      }))
    },
  }
}

/**
 * Leaves the parser of TOML out of the programs, which load it when they first need it: a seventh of `status`, and of the
 * clients only Codex has settings in TOML.
 */
export function deferToml(): Plugin {
  const contents = `module.exports = { get parse() { return require('./toml.cjs').parse } }`
  return {
    name: 'toml',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^smol-toml$/ }, ({ path }) => ({ path, namespace: 'deferred' }))
      onResolve({ filter: /^\.\/toml\.cjs$/ }, ({ path }) => ({ path, external: true }))
      onLoad({ filter: /./, namespace: 'deferred' }, () => ({ contents }))
    },
  }
}
