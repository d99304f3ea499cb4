import { describe, expect, it } from 'vitest'
import { deedsOf } from '../../src/context/deeds.ts'

describe('what an agent did', () => {
  it.each([
    'Write',
    'Edit',
    'MultiEdit',
    'multi_edit',
    'Create',
    'replace',
    'ApplyPatch',
    'apply_patch',
    'NotebookEdit',
    'notebook_edit',
    'str_replace_editor',
  ])('includes the file of %s', (name) => {
    expect(deedsOf([{ name, input: { file_path: '/srv/a.ts' } }]).files).toEqual(['/srv/a.ts'])
  })

  it.each(['Read', 'TodoWrite', 'view'])('includes no file of %s', (name) => {
    const deeds = deedsOf([{ name, input: { file_path: '/srv/a.ts' } }])
    expect(deeds).toEqual({ tools: { [name]: 1 }, files: [], commands: [] })
  })

  it('includes the files of a patch', () => {
    const patch = `*** Begin Patch
*** Add File: a.ts
+*** Add File: b.ts
*** Update File: c.ts\r
*** Delete File: d e.ts
*** Move to: f.ts
*** End Patch`
    for (const input of [{ input: patch }, { patch }, { diff: patch }])
      expect(deedsOf([{ name: 'apply_patch', input }]).files).toEqual(['a.ts', 'c.ts', 'd e.ts'])
  })

  it('includes each file, command and tool once, in the order of their first use', () => {
    const run = (command: unknown) => ({ name: 'Bash', input: { command } })
    const write = (path: string) => ({ name: 'Write', input: { file_path: path } })
    expect(
      deedsOf([write('b'), run('ls'), write('a'), run('pwd'), write('b'), run('ls'), run('')]),
    ).toEqual({ tools: { Write: 3, Bash: 4 }, files: ['b', 'a'], commands: ['ls', 'pwd'] })
  })

  it('has no details of calls without a name or a valid input', () => {
    const calls = [
      { name: '', input: {} },
      { name: 'Write', input: 'x' },
    ]
    expect(deedsOf(calls)).toEqual({ tools: { Write: 1 }, files: [], commands: [] })
  })

  it('is truncated to well-formed text', () => {
    const path = `${'x'.repeat(499)}😀`
    const { files } = deedsOf([{ name: 'Write', input: { file_path: path } }])
    expect(files).toEqual([`${'x'.repeat(499)}\ufffd`])
  })
})
