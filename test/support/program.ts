import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './home.ts'

/** The built worker, with its compiled code: it starts in half the time of one that is bundled here. */
export const builtWorker = join(root, 'dist/worker.cjs')

/** Bundles a program of the tests, so that it runs in a process of its own. Done once per run, for all test files. */
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
    // Another test file was quicker.
    if (!existsSync(folder)) throw error
  }
  return join(folder, 'program.js')
}
