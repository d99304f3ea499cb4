import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

/** Writes the licences of all packages whose code is in the bundles, as those licences require. */
export function writeLicences(path: string, metafiles: readonly Metafile[]) {
  const inputs = metafiles.flatMap(({ inputs }) => Object.keys(inputs))
  const folders = inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input) ?? [])
  const texts = [...new Set(folders)].sort().map(licenceOf)
  writeFileSync(
    path,
    `The files beside this one contain code of these packages.\n\n${texts.join('\n')}`,
  )
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : ''
  return `${'='.repeat(80)}\n${name} ${version}: ${license}\n\n${text}\n`
}
