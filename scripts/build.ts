import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { build } from 'esbuild'
import { finishDeclarations } from './declarations.ts'
import { writeLicences } from './licences.ts'

const stamp = 'dist/types/index.d.ts'
const sources = ['src', 'scripts', 'package-lock.json']

if (process.argv.includes('--if-stale') && isFresh()) process.exit(0)

rmSync('dist', { recursive: true, force: true })
// Loaded by import() at their first use, from the dependencies of the package.
const external = ['node-notifier', 'undici']
/** What is there for ES modules and for CommonJS, which cannot require an ES module before Node.js 22. */
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
const built = await Promise.all([
  build({
    ...shared,
    entryPoints: {
      cli: 'src/cli.ts',
      worker: 'src/worker/main.ts',
      index: 'src/index.ts',
    },
    outdir: 'dist',
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    external,
    // Less to read at a start. Names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    // jsonc-parser's `main` is UMD, which does not bundle.
    mainFields: ['module', 'main'],
    // CommonJS packages inside an ESM bundle call `require` for node: builtins.
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
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
  // Apart from the programs: with chunks of their own they load a quarter faster.
  build({
    ...shared,
    entryPoints: libraries,
    outdir: 'dist',
    format: 'esm',
    splitting: true,
    chunkNames: 'chunks/library-[hash]',
    external,
  }),
  build({
    ...shared,
    entryPoints: libraries,
    outdir: 'dist',
    format: 'cjs',
    external,
    outExtension: { '.js': '.cjs' },
  }),
])
writeLicences(
  'dist/LICENCES.txt',
  built.map(({ metafile }) => metafile),
)
execFileSync('node', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
})
finishDeclarations(
  'dist/types',
  ['index.d.ts', 'api/index.d.ts', 'emulator/index.d.ts'],
  ['api', 'emulator', 'text'],
)

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
