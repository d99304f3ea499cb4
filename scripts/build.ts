import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { build } from 'esbuild'

const stamp = 'dist/types/index.d.ts'
const sources = ['src', 'scripts/build.ts', 'package-lock.json']

if (process.argv.includes('--if-stale') && isFresh()) process.exit(0)

rmSync('dist', { recursive: true, force: true })
const shared = { bundle: true, platform: 'node', target: 'node20.18', logLevel: 'warning' } as const
await Promise.all([
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
    external: ['node-notifier', 'undici'],
    legalComments: 'linked',
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
])
execFileSync('node', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
})

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
