import { build } from 'esbuild'

/** Bundles a module with the client as a bundler for that condition would: nothing is left to import. */
export async function bundleFor(condition: string, source: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: '.' },
    conditions: [condition],
    platform: 'neutral',
    format: 'esm',
    bundle: true,
    write: false,
  })
  return outputFiles.map(({ text }) => text).join('')
}
