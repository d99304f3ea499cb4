import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { build } from 'esbuild'
import { configJsonSchema } from '../src/config/schema/json-schema.ts'
import { lazyNames } from '../src/lazy-zod.ts'
import { finishDeclarations } from './build/declarations.ts'
import { isFresh } from './build/fresh.ts'
import { writeLicences } from './build/licences.ts'
import {
  leaveCommandsOut,
  leaveFilesOut,
  leavePackagesOut,
  makeZodLazy,
  type NamedSources,
  replaceFile,
} from './build/plugins.ts'
import { escapeRegexes, importFromStart, makeFunction, requireCommands } from './build/rewrite.ts'

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
/** Code that few commands need, together with its large packages. */
const rareParts: NamedSources = {
  charts: 'src/commands/_charts.ts',
  receivers: 'src/demo/receivers.ts',
}
/** Packages that the worker and the commands load on demand: nearly half of the worker's code. Named exports only. */
const packages = ['execa', 'nodemailer']
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
const quickPrograms = {
  'cli-code': 'src/cli.ts',
}
/** The loader of ES modules costs a fifth of a start. src/fs/compiled.ts loads the result. */
const commonJs = {
  ...shared,
  ...programs,
  outdir: 'dist',
  format: 'cjs',
  charset: 'ascii',
  outExtension: { '.js': '.cjs' },
  define: {
    ...programs.define,
    'import.meta.filename': '__filename',
    // createRequire takes it too.
    'import.meta.url': '__filename',
  },
} as const
/** What the quick programs load on demand. */
const commands = { commands: new Set<string>(), 'api-commands': new Set<string>() }
const cli = await build({
  ...commonJs,
  entryPoints: quickPrograms,
  plugins: [leaveCommandsOut(external, commands)],
})
const built = await Promise.all([
  cli,
  // All other commands in two files, of which only the modules that a command imports are run.
  ...Object.entries(commands).map(([name, sources]) =>
    build({
      ...commonJs,
      stdin: { contents: listOfImports(sources), resolveDir: '.', sourcefile: name },
      outfile: `dist/${name}.cjs`,
      outdir: undefined,
      plugins: [leaveFilesOut(rareParts), leavePackagesOut(packages), makeZodLazy()],
      logOverride: { 'import-is-undefined': 'error' },
    }),
  ),
  build({ ...commonJs, entryPoints: rareParts }),
  build({
    ...shared,
    ...programs,
    entryPoints: { index: 'src/index.ts' },
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
    ...commonJs,
    entryPoints: { 'worker-code': 'src/worker/main.ts' },
    // The worker's private copy has no packages beside it. node-notifier has programs and is for other systems.
    external: ['node-notifier'],
    plugins: [leavePackagesOut(packages), makeZodLazy()],
    logOverride: { 'import-is-undefined': 'error' },
    banner: {
      js: "(function(require,importPart,__filename,keepCode){'use strict';const module={exports:{}};",
    },
    footer: { js: '})' },
  }),
  build({ ...commonJs, entryPoints: packages, outdir: 'dist/packages' }),
  build({
    ...commonJs,
    stdin: {
      contents: `export { ${lazyNames.join(', ')} } from 'zod'`,
      resolveDir: '.',
    },
    outfile: 'dist/packages/zod.cjs',
    outdir: undefined,
  }),
  // Runs notifiers of the user's own, also from the worker's private copy, with all of zod.
  build({
    ...shared,
    entryPoints: { notifier: 'src/notifiers/module/child.ts' },
    outdir: 'dist/packages',
    format: 'esm',
    minifyWhitespace: true,
    minifySyntax: true,
    outExtension: { '.js': '.mjs' },
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
  // For workers, edge functions and browsers.
  build({
    ...shared,
    entryPoints: { 'api-edge': 'src/api/index.ts' },
    outdir: 'dist',
    platform: 'neutral',
    target: 'es2022',
    format: 'esm',
    plugins: [replaceFile('src/api/platform.ts', 'src/api/platform-edge.ts')],
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
// Those that src/fs/compiled.ts loads.
const cliFiles = [
  ...Object.keys(quickPrograms),
  ...Object.keys(commands),
  ...Object.keys(rareParts),
]
const partFiles = ['zod', ...packages].map((name) => `packages/${name}`)
for (const name of ['worker-code', ...cliFiles, ...partFiles]) escapeRegexes(`dist/${name}.cjs`)
for (const name of cliFiles) requireCommands(`dist/${name}.cjs`)
for (const name of ['worker-code', ...cliFiles]) importFromStart(`dist/${name}.cjs`)
for (const name of [...cliFiles, ...partFiles]) makeFunction(`dist/${name}.cjs`)
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

/** A module whose only export has a function for each of the sources, which imports it. */
function listOfImports(sources: ReadonlySet<string>): string {
  // Sorted, because esbuild reads files in any order: the same source gives the same file.
  const entries = [...sources].sort().map((path) => `'${path}': () => import('./${path}')`)
  return `export const load = { ${entries.join(', ')} }`
}

/** Identifies the configuration schema: a configuration that was checked with another one is checked again. */
function schemaHash(): string {
  const text = JSON.stringify(configJsonSchema())
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
