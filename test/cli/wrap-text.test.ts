import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wrapText } from '../../src/cli/wrap-text.ts'
import { displayWidth } from '../../src/text/width.ts'
import { makeHome } from '../support/home.ts'
import { hasTerminal, runInTerminal } from '../support/terminal.ts'

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean)

describe('wrapText', () => {
  it('keeps all words, and fits when the words do', () => {
    const word = fc.stringMatching(/^[a-z]{1,15}$/)
    const line = fc.array(word).map((words) => words.join(' '))
    const text = fc.tuple(fc.nat(6), line).map(([indent, words]) => ' '.repeat(indent) + words)
    fc.assert(
      fc.property(fc.array(text), fc.integer({ min: 30, max: 100 }), (lines, columns) => {
        const wrapped = wrapText(lines.join('\n'), columns, 2)
        expect(wordsOf(wrapped)).toEqual(wordsOf(lines.join('\n')))
        for (const part of wrapped.split('\n'))
          expect(part.trimEnd().length).toBeLessThanOrEqual(columns)
      }),
    )
  })

  it('indents continued lines, and keeps lines that fit', () => {
    const text = '  Note: the one that is long enough\nkept  as   it is'
    expect(wrapText(text, 26, 2)).toBe('  Note: the one that is\n    long enough\nkept  as   it is')
  })

  it('counts columns as a terminal displays them', () => {
    const text = '\u001b[31mred\u001b[39m words 日本語 that just fit here'
    expect(wrapText(text, displayWidth(text))).toBe(text)
  })
})

const commands = [
  'init --all --yes',
  'status',
  'doctor --offline',
  'clients',
  'log',
  'log --since 1h',
  'why last',
  'why --session a-session',
  'report',
  'simulate',
  'digest',
  'secrets',
  'config show',
  'config check',
  'dead',
  'mute',
  'hold',
  'flush',
  'resume',
  'test desk',
  'api',
  'help',
  'help init',
  'init --help',
  'frobnicate',
  'doctor --fixx',
  'init --client nope',
  'mute list',
  'preview nope',
  'log nope',
  'purge',
  'uninstall --yes',
]

/** Lines that are wider than the terminal, except those with a path or a link that cannot be broken. */
function tooWide(text: string, columns: number): string[] {
  return text.split('\n').filter((line) => {
    const words = line.trim().split(' ')
    const isOneWord = Math.max(...words.map(displayWidth)) > columns / 2
    return (
      displayWidth(line) > columns && !(isOneWord && displayWidth(words[0] ?? '') > columns - 30)
    )
  })
}

describe.skipIf(!hasTerminal)('in a terminal of 60 columns', () => {
  it('no command prints a line that is too wide', async () => {
    const home = await makeHome({
      channels: {
        desk: { type: 'desktop' },
        audit: { type: 'file', path: '${HOME}/audit.jsonl' },
      },
      routes: [{ on: ['permission', 'failed'], to: ['desk', 'audit'] }],
      lingerSeconds: 0,
    })
    const message = 'Droid needs your permission to run: npm publish --provenance --access public'
    const facts = { session_id: 'a-session', cwd: home.project }
    home.accept({ hook_event_name: 'Notification', message, ...facts })
    home.accept({ hook_event_name: 'SessionEnd', reason: 'error', ...facts })
    await home.run('worker', '--once')
    const wide: string[] = []
    for (const command of commands) {
      const env = { ...home.env, NO_COLOR: '1' }
      const { text } = await runInTerminal({ env, columns: 60 }, ...command.split(' '))
      expect(text, command).not.toBe('')
      wide.push(...tooWide(text, 60).map((line) => `${command}: ${line}`))
    }
    expect(wide).toEqual([])
  })
})
