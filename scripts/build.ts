import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { configJsonSchema } from '../src/config/json-schema.ts'
import { lazyNames } from '../src/lazy-zod.ts'
import { finishDeclarations } from './declarations.ts'
import { writeLicences } from './licences.ts'

const stamp = 'dist/types/index.d.ts'
const sources = ['src', 'scripts', 'package-lock.json']

if (process.argv.includes('--if-stale') && isFresh()) process.exit(0)

rmSync('dist', { recursive: true, force: true })
// Not bundled, but loaded with import() at their first use.
const external = ['node-notifier', 'undici', 'bullmq', 'ioredis']
/** Built as ES modules and as CommonJS, which cannot require an ES module before Node.js 22. */
const libraries: { [name: string]: string } = {
  api: 'src/api/index.ts',
  emulator: 'src/emulator/index.ts',
}
const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20.18',
  logLevel: 'warning',
  legalComments: 'none',
  metafile: true,
} as const
/** Commands that start as quickly as the program itself: built as CommonJS. They must not load large packages. */
const quickParts: { [name: string]: string } = {
  status: 'commands/status',
  log: 'commands/log',
  dead: 'commands/dead',
}
/** Packages that the worker loads on demand, from files of their own: nearly half of its code. Named exports only. */
const workerParts: readonly string[] = ['execa', 'nodemailer']
const FILLED_ENUM =
  /^\(function \((?:CharacterCodes|ParseErrorCode|ScanError|SyntaxKind)\) \{$[\s\S]*?^\}\).*$/gm
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const programs = {
  // Smaller files load faster. Names are kept for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  // jsonc-parser's `main` is UMD, which does not bundle.
  mainFields: ['module', 'main'],
  external,
  define: { BUILT_VERSION: JSON.stringify(version), BUILT_SCHEMA: JSON.stringify(schemaHash()) },
}
/** What the command line program loads on demand: source by name in dist/. */
const parts: { [name: string]: string } = {}
const quickPrograms = Object.entries(quickParts).map(([name, path]) => [name, `src/${path}.ts`])
const cli = await build({
  ...shared,
  ...programs,
  entryPoints: { 'cli-code': 'src/cli.ts', ...Object.fromEntries(quickPrograms) },
  outdir: 'dist',
  // As for the hook: the loader of ES modules costs a fifth of a start. src/cli/start.ts loads the result.
  format: 'cjs',
  charset: 'ascii',
  outExtension: { '.js': '.cjs' },
  define: { ...programs.define, 'import.meta.filename': '__filename' },
  plugins: [leavePartsOut(), trimJsonParser()],
})
requireQuickParts('dist/cli-code.cjs', ['status', 'log', 'dead'])
for (const name of ['cli-code', ...Object.keys(quickParts)]) {
  importFromStart(`dist/${name}.cjs`)
  requireOnce(`dist/${name}.cjs`)
}
const built = await Promise.all([
  cli,
  build({
    ...shared,
    ...programs,
    entryPoints: {
      ...parts,
      index: 'src/index.ts',
    },
    outdir: 'dist',
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    // CommonJS packages inside an ESM bundle call `require` for node: builtins.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
  }),
  // The banner and the footer turn it into a function, which src/worker/start.ts calls.
  build({
    ...shared,
    ...programs,
    entryPoints: { 'worker-code': 'src/worker/main.ts' },
    // The worker's private copy has no packages beside it. node-notifier has programs and is for other systems.
    external: ['node-notifier'],
    plugins: [leaveWorkerPartsOut(), makeZodLazy(), trimJsonParser()],
    logOverride: { 'import-is-undefined': 'error' },
    outdir: 'dist',
    format: 'cjs',
    charset: 'ascii',
    outExtension: { '.js': '.cjs' },
    define: { ...programs.define, 'import.meta.filename': '__filename' },
    banner: {
      js: "(function(require,importPart,__filename,keepCode){'use strict';const module={exports:{}};",
    },
    footer: { js: '})' },
  }),
  build({
    ...shared,
    ...programs,
    entryPoints: Object.fromEntries(workerParts.map((name) => [`worker-parts/${name}`, name])),
    outdir: 'dist',
    format: 'cjs',
    charset: 'ascii',
    outExtension: { '.js': '.cjs' },
    // createRequire is only used for modules of Node.js.
    define: { 'import.meta.url': '__filename' },
  }),
  build({
    ...shared,
    ...programs,
    stdin: {
      contents: `export { ${lazyNames.join(', ')}, regexes } from 'zod'`,
      resolveDir: '.',
    },
    outfile: 'dist/worker-parts/zod.cjs',
    format: 'cjs',
    charset: 'ascii',
  }),
  build({
    ...shared,
    entryPoints: { worker: 'src/worker/start.ts', cli: 'src/cli/start.ts' },
    outdir: 'dist',
    format: 'cjs',
    minify: true,
    outExtension: { '.js': '.cjs' },
  }),
  // CommonJS: an ESM entry costs 3 ms more to start, and the agent waits for this one.
  build({
    ...shared,
    entryPoints: { hook: 'src/hook/main.ts' },
    outdir: 'dist',
    format: 'cjs',
    minify: true,
    outExtension: { '.js': '.cjs' },
  }),
  // One file each: a second one takes Node.js a millisecond.
  ...(['esm', 'cjs'] as const).map((format) =>
    build({
      ...shared,
      entryPoints: libraries,
      outdir: 'dist',
      format,
      external,
      outExtension: { '.js': format === 'esm' ? '.js' : '.cjs' },
    }),
  ),
])
requireFromStart('dist/worker-code.cjs')
// Those that src/fs/compiled.ts loads.
const compiled = ['cli-code', ...Object.keys(quickParts), 'worker-code']
for (const name of [
  ...compiled,
  'worker-parts/zod',
  ...workerParts.map((one) => `worker-parts/${one}`),
]) {
  escapeRegexes(`dist/${name}.cjs`)
}
const chunks = readdirSync('dist/chunks').map((name) => `dist/chunks/${name}`)
for (const path of ['dist/worker-code.cjs', ...chunks]) keepShapes(path)
// The front door of an earlier version starts this file.
writeFileSync('dist/worker.js', "import './worker.cjs'\n")
writeLicences(
  'dist/LICENCES.txt',
  built.map(({ metafile }) => metafile),
)
// Types are checked by `npm run types`. One thread does half the work of several, which each check the shared files.
const declare = ['-p', 'tsconfig.build.json', '--noCheck', '--singleThreaded']
execFileSync('node', ['node_modules/typescript/bin/tsc', ...declare], { stdio: 'inherit' })
finishDeclarations(
  'dist/types',
  ['index.d.ts', 'api/index.d.ts', 'emulator/index.d.ts'],
  ['api', 'emulator', 'text'],
)

/** esbuild cannot split a CommonJS program, so its dynamic imports become ES modules with chunks of their own. */
function leavePartsOut(): Plugin {
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

function leaveWorkerPartsOut(): Plugin {
  return {
    name: 'worker parts',
    setup({ onResolve }) {
      onResolve({ filter: new RegExp(`^(${workerParts.join('|')})$`) }, ({ path }) => ({
        path: `./worker-parts/${path}.cjs`,
        external: true,
      }))
    },
  }
}

/** Identifies the configuration schema: a configuration that was checked with another one is checked again. */
function schemaHash(): string {
  const text = JSON.stringify(configJsonSchema())
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** See src/lazy-zod.ts. */
function makeZodLazy(): Plugin {
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
function trimJsonParser(): Plugin {
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

/** Lets src/worker/start.ts do the imports, since V8's cached code cannot import. All of them are CommonJS by now. */
function requireFromStart(path: string) {
  const text = readFileSync(path, 'utf8')
  const dynamic = /\bimport\(("[^"]+")\)/g
  if (text.match(dynamic)?.length === 0) throw new Error(`${path}: not as expected`)
  writeFileSync(path, text.replaceAll(dynamic, 'importPart($1)'))
}

/** Turns imports of CommonJS parts into `require`, which avoids the loader of ES modules. */
function requireQuickParts(path: string, names: readonly string[]) {
  const quick = /\bimport\((".\/(?:[a-z]+).cjs")\)/g
  const text = readFileSync(path, 'utf8')
  if (text.match(quick)?.length !== names.length) throw new Error(`${path}: not as expected`)
  writeFileSync(path, text.replaceAll(quick, 'Promise.resolve().then(()=>require($1))'))
}

/** esbuild's `charset: 'ascii'` leaves regular expressions as they are. */
function escapeRegexes(path: string) {
  const text = readFileSync(path, 'utf8')
  const inAscii = (character: string) =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  writeFileSync(path, text.replace(/[^\0-\x7f]/g, inAscii))
}

/**
 * In Node.js 20, V8 gives each object of `{ ...base, added }` a hidden class of its own, which slows down all code that
 * sees it, but not of `{ ...null, ...base, added }`. A pattern that begins with `...` ends after it, so it is left alone.
 */
function keepShapes(path: string) {
  const text = readFileSync(path, 'utf8')
  const spreadFirst = /\{\.\.\.(?=[\w$(#])(?![\w$.#]+\})/g
  writeFileSync(path, text.replace(spreadFirst, '{...null,...'))
}

/** Lets src/cli/start.ts import the other parts, which are ES modules. */
function importFromStart(path: string) {
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replaceAll('import("./parts/', 'importPart("./parts/'))
}

/** Requires each module of Node.js once: esbuild does it once for each source file. */
function requireOnce(path: string) {
  const first = new Map<string, string>()
  const others = new Map<string, string>()
  const text = readFileSync(path, 'utf8').replace(
    /var ((?:import_node_\w+=require\("node:\w+"\)[,;])+)/g,
    (_, declared: string) => {
      const all = [...declared.matchAll(/(\w+)=require\("(.+?)"\)/g)]
      for (const [, name = '', id = ''] of all) {
        if (first.has(id)) others.set(name, first.get(id) ?? '')
        else first.set(id, name)
      }
      const kept = all.filter(([, name = '']) => !others.has(name)).map(([text]) => text)
      const end = declared.slice(-1)
      if (kept.length === 0) return end === ',' ? 'var ' : ''
      return `var ${kept.join()}${end}`
    },
  )
  writeFileSync(
    path,
    text.replace(/\bimport_node_\w+/g, (name) => others.get(name) ?? name),
  )
}

function isFresh() {
  if (!existsSync(stamp)) return false
  const builtAt = statSync(stamp).mtimeMs
  return sources.every((path) => newest(path) <= builtAt)
}

function newest(path: string): number {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(`${path}/${name}`)))
}
