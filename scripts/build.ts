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
// Loaded by import() at their first use, from the dependencies of the package.
const external = ['node-notifier', 'undici', 'bullmq', 'ioredis']
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
/** What starts as quickly as the program itself: CommonJS, and only such as loads no large package. */
const quickParts: { [name: string]: string } = {
  status: 'commands/status',
  log: 'commands/log',
  dead: 'commands/dead',
  overview: 'doctor/overview',
}
/** What the worker loads when it needs it, from files of their own: nearly half of its code. By their named exports alone. */
const workerParts: readonly string[] = ['execa', 'nodemailer']
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const programs = {
  // Less to read at a start. Names stay, for stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  // jsonc-parser's `main` is UMD, which does not bundle.
  mainFields: ['module', 'main'],
  external,
  define: { BUILT_VERSION: JSON.stringify(version), BUILT_SCHEMA: JSON.stringify(schemaHash()) },
}
/** What the command line program loads when it needs it: name in dist/ to source. */
const parts: { [name: string]: string } = {}
const quickPrograms = Object.entries(quickParts).map(([name, path]) => [name, `src/${path}.ts`])
const cli = await build({
  ...shared,
  ...programs,
  entryPoints: { 'cli-code': 'src/cli.ts', ...Object.fromEntries(quickPrograms) },
  outdir: 'dist',
  // As the hook: the loader of ES modules costs a fifth of a start. src/cli/start.ts loads what this makes.
  format: 'cjs',
  charset: 'ascii',
  outExtension: { '.js': '.cjs' },
  define: { ...programs.define, 'import.meta.url': 'importMeta.url' },
  // Worked out when it is asked for: that takes a twentieth of a start.
  banner: {
    js: "const importMeta={get url(){return require('node:url').pathToFileURL(__filename).href}};",
  },
  plugins: [leavePartsOut()],
})
requireQuickParts('dist/cli-code.cjs', ['status', 'log', 'dead'])
requireQuickParts('dist/status.cjs', ['overview'])
for (const name of ['cli-code', ...Object.keys(quickParts)]) importFromStart(`dist/${name}.cjs`)
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
  // src/worker/start.ts calls what banner and footer make of it.
  build({
    ...shared,
    ...programs,
    entryPoints: { 'worker-code': 'src/worker/main.ts' },
    // The private copy has no packages beside it; node-notifier brings programs and is for other systems.
    external: ['node-notifier'],
    plugins: [leaveWorkerPartsOut(), makeZodLazy(), dropFormatter()],
    logOverride: { 'import-is-undefined': 'error' },
    outdir: 'dist',
    format: 'cjs',
    charset: 'ascii',
    outExtension: { '.js': '.cjs' },
    define: { ...programs.define, 'import.meta.url': 'moduleUrl' },
    banner: {
      js: "(function(require,importPart,__filename,keepCode){'use strict';const module={exports:{}};const moduleUrl=require('node:url').pathToFileURL(__filename).href;",
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
    // createRequire is asked for nothing but modules of Node.js.
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
requireFromStart('dist/worker-code.cjs')
// What a front door of an earlier version starts.
writeFileSync('dist/worker.js', "import './worker.cjs'\n")
writeLicences(
  'dist/LICENCES.txt',
  built.map(({ metafile }) => metafile),
)
// Types are checked by `npm run types`. One thread does half the work of several, which each look at what they share.
const declare = ['-p', 'tsconfig.build.json', '--noCheck', '--singleThreaded']
execFileSync('node', ['node_modules/typescript/bin/tsc', ...declare], { stdio: 'inherit' })
finishDeclarations(
  'dist/types',
  ['index.d.ts', 'api/index.d.ts', 'emulator/index.d.ts'],
  ['api', 'emulator', 'text'],
)

/** esbuild splits no CommonJS program: what it imports at run time becomes ES modules, with chunks of their own. */
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

/** What was checked by another schema is checked anew. */
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

/** What jsonc-parser formats with is made when it is loaded, and the worker formats nothing. */
function dropFormatter(): Plugin {
  return {
    name: 'formatter',
    setup({ onResolve }) {
      onResolve({ filter: /\/string-intern$/ }, ({ path, resolveDir }) => ({
        path: join(resolveDir, `${path}.js`),
        sideEffects: false,
      }))
    },
  }
}

/** By src/worker/start.ts: V8 forgets where code that was kept may import from. All that is left is CommonJS. */
function requireFromStart(path: string) {
  const text = readFileSync(path, 'utf8')
  const dynamic = /\bimport\(("[^"]+")\)/g
  if (text.match(dynamic)?.length === 0) throw new Error(`${path}: not as expected`)
  writeFileSync(path, text.replaceAll(dynamic, 'importPart($1)'))
}

/** What is CommonJS itself needs no loader of ES modules. What is not is imported by src/cli/start.ts. */
function requireQuickParts(path: string, names: readonly string[]) {
  const quick = /\bimport\((".\/(?:[a-z]+).cjs")\)/g
  const text = readFileSync(path, 'utf8')
  if (text.match(quick)?.length !== names.length) throw new Error(`${path}: not as expected`)
  writeFileSync(path, text.replaceAll(quick, 'Promise.resolve().then(()=>require($1))'))
}

function importFromStart(path: string) {
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replaceAll('import("./parts/', 'importPart("./parts/'))
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
