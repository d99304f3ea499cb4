import { describe, expect, it } from 'vitest'
import { splitLine } from '../../src/text/shell.ts'

describe('the words of a command line', () => {
  it.each<[string, string[] | undefined]>([
    ['', []],
    ['vi', ['vi']],
    ['  code  --wait ', ['code', '--wait']],
    ['"/My Apps/ed" -w', ['/My Apps/ed', '-w']],
    [`'a "b' c\\ d`, ['a "b', 'c d']],
    [`a""b ''`, ['ab', '']],
    ['vi; touch /x && $(y) `z` $HOME *', ['vi;', 'touch', '/x', '&&', '$(y)', '`z`', '$HOME', '*']],
    ['"open', undefined],
    ["it's", undefined],
  ])('are split as in a POSIX shell, but without expansion: %j', (line, words) => {
    expect(splitLine(line, 'linux')).toEqual(words)
  })

  it('keep the backslashes of Windows', () => {
    expect(splitLine(String.raw`"C:\My Apps\ed.exe" C:\x`, 'win32')).toEqual([
      String.raw`C:\My Apps\ed.exe`,
      String.raw`C:\x`,
    ])
  })
})
