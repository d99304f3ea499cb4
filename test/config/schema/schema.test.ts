import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digest, noise, quietHoursShape } from '../../../src/config/schema/noise.ts'
import { configSchema } from '../../../src/config/schema/schema.ts'
import { root } from '../../support/home.ts'

describe('the settings', () => {
  it.each([
    ['configuration.md', 'The file', configSchema.shape, ['$schema']],
    ['noise.md', 'Noise', noise.shape, []],
    ['noise.md', 'Quiet hours', quietHoursShape, []],
    ['seeing.md', 'Digest', digest.shape, []],
  ])('have a row each in docs/%s, %s', (page, heading, shape, elsewhere) => {
    const text = readFileSync(join(root, 'docs', page), 'utf8')
    const [, section = ''] = text.split(`# ${heading}\n`)
    const [ours = ''] = section.split('\n## ')
    const documented = [...ours.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)
    expect([...documented, ...elsewhere].sort()).toEqual(Object.keys(shape).sort())
  })
})
