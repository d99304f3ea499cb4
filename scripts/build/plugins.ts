import { relative, resolve } from 'node:path'
import type { Plugin } from 'esbuild'
import { lazyNames } from '../../src/lazy-zod.ts'

/** Sources below src/ and packages, by their names in dist/. */
export interface NamedSources {
  [name: string]: string
}

/** Lets a CommonJS program load these sources from files of their own, `./NAME.cjs`. */
export function leaveFilesOut(files: NamedSources): Plugin {
  const names = new Map(Object.entries(files).map(([name, path]) => [resolve(path), name]))
  return {
    name: 'files of their own',
    setup({ onResolve }) {
      onResolve({ filter: /^\..*\.ts$/ }, ({ path, kind, resolveDir }) => {
        const name = kind === 'entry-point' ? undefined : names.get(resolve(resolveDir, path))
        return name ? { path: `./${name}.cjs`, external: true } : undefined
      })
    },
  }
}

/** The commands that use the API: a quarter of the code of all commands. */
const OF_API = /^src.commands.(api|emulator|messages|reply|usage)\.ts$/

/**
 * Lets a CommonJS program load other sources on demand from `commands.cjs` or `api-commands.cjs`, because esbuild cannot
 * split such a program.
 * @param external packages that are not bundled
 * @param commands receives the sources, by file
 */
export function leaveCommandsOut(
  external: readonly string[],
  commands: Readonly<Record<'commands' | 'api-commands', Set<string>>>,
): Plugin {
  return {
    name: 'commands',
    setup({ onResolve, resolve: find }) {
      onResolve({ filter: /./ }, async ({ path, kind, resolveDir }) => {
        if (kind !== 'dynamic-import' || external.includes(path)) return undefined
        const found = await find(path, { kind: 'import-statement', resolveDir })
        const source = relative('.', found.path)
        const file = OF_API.test(source) ? 'api-commands' : 'commands'
        commands[file].add(source)
        return { path: `./${file}.cjs#${source}`, external: true }
      })
    },
  }
}

export function leavePackagesOut(names: readonly string[]): Plugin {
  return {
    name: 'packages',
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`^(${names.join('|')})$`) }, ({ path }) => ({
        path: `./packages/${path}.cjs`,
        external: true,
      }))
    },
  }
}

/** Sources that use more of zod than lazy-zod.ts has. */
const NEED_ZOD = /src.(api|emulator|commands.api)\b/

/** See src/lazy-zod.ts. */
export function makeZodLazy(): Plugin {
  const functions = lazyNames.map((name) => `const ${name}_ = z.${name}`).join('\n')
  const names = lazyNames.map((name) => `${name}_ as ${name}`)
  const contents = `import { lazyZod } from './src/lazy-zod.ts'
    const z = lazyZod(() => require('./packages/zod.cjs'))
    ${functions}
    export { ${names.join(', ')} }`
  return {
    name: 'lazy zod',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^zod$/ }, ({ importer }) =>
        NEED_ZOD.test(relative('.', importer)) ? undefined : { path: 'zod', namespace: 'lazy' },
      )
      onResolve({ filter: /packages/ }, ({ path }) => ({ path, external: true }))
      onLoad({ filter: /./, namespace: 'lazy' }, () => ({ contents, resolveDir: '.' }))
    },
  }
}

/** Bundles another file in place of one. */
export function replaceFile(file: string, other: string): Plugin {
  return {
    name: 'another file',
    setup({ onResolve }) {
      onResolve({ filter: /^\..*\.ts$/ }, ({ path, resolveDir }) =>
        resolve(resolveDir, path) === resolve(file) ? { path: resolve(other) } : undefined,
      )
    },
  }
}
