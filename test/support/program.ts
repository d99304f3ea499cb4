import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './home.ts'

/** The path of the built worker. It has compiled code, and so starts twice as fast as one from `buildProgram`. */
export const builtWorker = join(root, 'dist/worker.cjs')

/** Bundles a test program that runs in a separate process. Done once per run for all test files. @returns its path */
export async function buildProgram(entry: string): Promise<string> {
  const { HOOKBELL_TEST_PROGRAMS: programs } = process.env
  if (!programs) throw new Error('HOOKBELL_TEST_PROGRAMS is not set: see leave-nothing.ts')
  const folder = join(programs, entry.replace(/\W+/g, '-'))
  if (existsSync(folder)) return join(folder, 'program.js')
  const outdir = `${folder}.${process.pid}`
  await build({
    entryPoints: { program: join(root, entry) },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.18',
    mainFields: ['module', 'main'],
    external: ['node-notifier', 'undici', 'bullmq', 'ioredis'],
    logLevel: 'warning',
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
  })
  try {
    renameSync(outdir, folder)
  } catch (error) {
    // Another test file has bundled it meanwhile.
    if (!existsSync(folder)) throw error
  }
  return join(folder, 'program.js')
}
