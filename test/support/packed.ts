import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { root } from './home.ts'

export interface Packed {
  name: string
  version: string
  integrity: string
  tarball: string
  files: { path: string }[]
}

/** Packs this package as `npm publish` would send it. Done once per run for all test files. */
export async function packPackage(): Promise<Packed> {
  const { HOOKBELL_TEST_PROGRAMS: programs } = process.env
  if (!programs) throw new Error('HOOKBELL_TEST_PROGRAMS is not set: see leave-nothing.ts')
  const folder = join(programs, 'packed')
  if (!existsSync(folder)) {
    const made = `${folder}.${process.pid}`
    mkdirSync(made, { recursive: true })
    const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', made]
    const { stdout } = await execa('npm', words, { cwd: root })
    writeFileSync(join(made, 'packed.json'), stdout)
    try {
      renameSync(made, folder)
    } catch (error) {
      // Another test file has packed it meanwhile.
      if (!existsSync(folder)) throw error
    }
  }
  const [packed] = JSON.parse(readFileSync(join(folder, 'packed.json'), 'utf8'))
  return { ...packed, tarball: join(folder, packed.filename) }
}
