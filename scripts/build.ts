import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { configJsonSchema } from '../src/config/schema/json-schema.ts'
import { lazyNames } from '../src/lazy-zod.ts'
import { finishDeclarations } from './build/declarations.ts'
import { isFresh } from './build/fresh.ts'
import { writeLicences } from './build/licences.ts'
import {
  deferToml,
  leavePartsOut,
  leaveWorkerPartsOut,
  makeZodLazy,
  type NamedSources,
  trimJsonParser,
} from './build/plugins.ts'
import {
  escapeRegexes,
  importFromStart,
  keepShapes,
  requireFromStart,
  requireOnce,
  requireQuickParts,
} from './build/rewrite.ts'

if (process.argv.includes('--if-stale') && isFresh()) process.exit(0)

rmSync('dist', { recursive: true, force: true })
// With umask 002, a group could write to the worker, and no front door starts such a worker.
process.umask(0o022)
// esbuild and the compiler are Go programs, which otherwise spend a fifth of their time on collecting garbage.
process.env.GOGC ??= '400'
// Not bundled, but loaded with import() at their first use.
const external = ['node-notifier', 'undici', 'bullmq', 'ioredis']
/** Built as ES modules and as CommonJS, which cannot require an ES module before Node.js 22. */
const libraries: NamedSources = {
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
const quickParts: NamedSources = {
  status: 'commands/status',
  log: 'commands/log',
  dead: 'commands/dead',
}
/** Packages that the worker loads on demand, from files of their own: nearly half of its code. Named exports only. */
const workerParts: readonly string[] = ['execa', 'nodemailer']
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
const parts: NamedSources = {}
const quickPrograms = {
  'cli-code': 'src/cli.ts',
  ...Object.fromEntries(Object.entries(quickParts).map(([name, path]) => [name, `src/${path}.ts`])),
  // See deferToml.
  toml: 'node_modules/smol-toml/dist/index.js',
}
const cli = await build({
  ...shared,
  ...programs,
  entryPoints: quickPrograms,
  outdir: 'dist',
  // As for the hook: the loader of ES modules costs a fifth of a start. src/cli/start.ts loads the result.
  format: 'cjs',
  charset: 'ascii',
  outExtension: { '.js': '.cjs' },
  define: { ...programs.define, 'import.meta.filename': '__filename' },
  plugins: [leavePartsOut({ external, quickParts, parts }), trimJsonParser(), deferToml()],
})
requireQuickParts('dist/cli-code.cjs', ['status', 'log', 'dead'])
for (const name of Object.keys(quickPrograms)) {
  importFromStart(`dist/${name}.cjs`)
  requireOnce(`dist/${name}.cjs`)
}
const built = await Promise.all([
  cli,
  build({
    ...shared,
    ...programs,
    entryPoints: {
      // Sorted, because esbuild reads files in any order: the same source gives the same files.
      ...Object.fromEntries(Object.entries(parts).sort()),
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
    plugins: [leaveWorkerPartsOut(workerParts), makeZodLazy(), trimJsonParser()],
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
      // Where a test runner such as Jest runs CommonJS, it has no import().
      supported: { 'dynamic-import': format === 'esm' },
      outExtension: { '.js': format === 'esm' ? '.js' : '.cjs' },
    }),
  ),
])
requireFromStart('dist/worker-code.cjs')
// Those that src/fs/compiled.ts loads.
const compiled = [...Object.keys(quickPrograms), 'worker-code']
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

/** Identifies the configuration schema: a configuration that was checked with another one is checked again. */
function schemaHash(): string {
  const text = JSON.stringify(configJsonSchema())
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
