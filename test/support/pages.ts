import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './home.ts'

/** The documents that users read. */
export const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
