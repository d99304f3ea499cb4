import { describe, expect, it } from 'vitest'
import { table } from '../../src/cli/table.ts'

const rows = [
  ['events', '3 accepted = 1 delivered + 2 suppressed'],
  ['hook', '/home/me/.local/state/hookbell/hookbell-hook'],
]

describe('table', () => {
  it('wraps its last column on a narrow terminal without breaking words', () => {
    expect(table(rows, 32)).toBe(
      [
        'events  3 accepted = 1 delivered',
        '        + 2 suppressed',
        'hook    /home/me/.local/state/hookbell/hookbell-hook',
      ].join('\n'),
    )
  })

  it('keeps one line per row in a pipe, and without room for the last column', () => {
    for (const columns of [undefined, 20]) expect(table(rows, columns).split('\n')).toHaveLength(2)
  })

  it('ignores colour codes in the width', () => {
    expect(table([['a', `\u001b[31mred\u001b[39m ${'x'.repeat(16)}`]], 23)).not.toContain('\n')
  })
})
