import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { valueNames } from '../../src/render/values.ts'

const docs = readFileSync(join(import.meta.dirname, '../../docs/configuration.md'), 'utf8')

describe('the values of templates', () => {
  it('are exactly the documented ones', () => {
    const [, section = ''] = /## Templates\n([\s\S]*?)\n## /.exec(docs) ?? []
    const table = section.split('\n').filter((line) => line.startsWith('| `'))
    const documented = table.flatMap((line) =>
      [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
    )
    expect(documented.sort()).toEqual([...valueNames].sort())
  })
})
