import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ttyName } from '../../../src/notifiers/terminal/place.ts'
import {
  type Call,
  type Multiplexer,
  renderSequence,
  type Sequence,
  sequenceFor,
} from '../../../src/notifiers/terminal/sequence.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { runs } from '../../support/runs.ts'

const call = (fields: Partial<Call> = {}): Call => ({
  title: 'shop: permission needed',
  body: 'wants to run npm test',
  urgency: 'normal',
  id: 'abc',
  ...fields,
})

const sequences: Sequence[] = ['bell', 'osc9', 'osc777', 'osc99']
const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('notifiers: terminal sequences', () => {
  it.each([
    ['bell', '\x07'],
    ['osc9', '\x1b]9;shop: permission needed - wants to run npm test\x07'],
    ['osc777', '\x1b]777;notify;shop: permission needed;wants to run npm test\x07'],
    [
      'osc99',
      `\x1b]99;i=hookbell-abc:d=0:p=title:e=1;${base64('shop: permission needed')}\x1b\\` +
        `\x1b]99;i=hookbell-abc:d=1:p=body:u=1:a=focus:e=1;${base64('wants to run npm test')}\x1b\\`,
    ],
  ] as const)('render %s as %j', (sequence, bytes) => {
    expect(renderSequence(sequence, call(), 'none')).toBe(bytes)
  })

  it('double each escape character for tmux, and ring its bell', () => {
    expect(renderSequence('osc9', call({ title: 'a', body: 'b' }), 'tmux')).toBe(
      '\x1bPtmux;\x1b\x1b]9;a - b\x07\x1b\\\x07',
    )
    const text = renderSequence('osc99', call(), 'tmux')
    const [, inner] = /^\x1bPtmux;((?:\x1b\x1b|[^\x1b])*)\x1b\\\x07$/.exec(text) ?? []
    expect(inner?.replaceAll('\x1b\x1b', '\x1b')).toBe(renderSequence('osc99', call(), 'none'))
  })

  it('are split into short strings for GNU screen', () => {
    const long = call({ title: 'x'.repeat(100), body: 'y'.repeat(200) })
    const text = renderSequence('osc99', long, 'screen')
    const chunks = text.split('\x1b\\').slice(0, -1)
    expect(chunks.length).toBeGreaterThan(3)
    expect(chunks.every((chunk) => /^\x1bP.{1,200}$/s.test(chunk))).toBe(true)
    const joined = chunks.map((chunk) => chunk.slice(2)).join('')
    expect(joined).toBe(renderSequence('osc99', long, 'none').replaceAll('\x1b\\', '\x07'))
  })

  it('contain only ASCII for GNU screen, which supports nothing else', () => {
    const text = renderSequence(
      'osc9',
      call({ title: 'Příště: 漢字 …', body: '\u011b\u0107 · “a” – don’t' }),
      'screen',
    )
    expect(text).toBe('\x1bP\x1b]9;Priste: ?? ... - ec - "a" - don\'t\x07\x1b\\')
  })

  it.each(['tmux', 'screen'] as const)('pass the bell unchanged through %s', (through) => {
    expect(renderSequence('bell', call(), through)).toBe('\x07')
  })

  it('never start a text with a number and a semicolon, which would be a command', () => {
    expect(renderSequence('osc9', call({ title: '4;1;50', body: '' }), 'none')).toBe(
      '\x1b]9;hookbell: 4;1;50\x07',
    )
  })

  it('contain no semicolon in the title, which would end it', () => {
    expect(renderSequence('osc777', call({ title: 'a;b', body: 'c;d' }), 'none')).toBe(
      '\x1b]777;notify;a,b;c;d\x07',
    )
  })

  it('cannot be ended by a text, and contain no further sequence from it', () => {
    const live = fc.constantFrom('\x1b', '\x07', '\x9c', '\x9d', '\x1b\\', '\x1b]52;c;', '\n', '\r')
    const other = fc.constantFrom('\u202e', '\u0085', '4;', ';', '\ud800', '😀', '漢')
    const text = fc
      .array(fc.oneof(live, other, fc.string({ unit: anyCharacter })), { maxLength: 300 })
      .map((parts) => parts.join(''))
    const through = fc.constantFrom<Multiplexer>('none', 'tmux', 'screen')
    fc.assert(
      fc.property(text, text, through, fc.constantFrom(...sequences), (title, body, way, name) => {
        const bytes = renderSequence(name, call({ title, body }), way)
        expect(bytes).toBe(bytes.toWellFormed())
        expect(Buffer.byteLength(bytes)).toBeLessThan(4096)
        // The control characters and their order do not depend on the texts.
        const controls = (said: string) => said.replace(/[^\x00-\x1f\x7f-\x9f]/g, '')
        const harmless = renderSequence(name, call({ title: 'a', body: 'b' }), way)
        if (way === 'screen') expect(bytes).toMatch(/^(\x07|(\x1bP[\0-\x7f]*?\x1b\\)+)$/)
        else expect(controls(bytes)).toBe(controls(harmless))
      }),
      { numRuns: runs(150) },
    )
  })

  it.each([
    [['xterm-kitty'], 'osc99'],
    [['tmux', 'kitty(0.36.4)'], 'osc99'],
    [['ghostty'], 'osc777'],
    [['xterm-ghostty'], 'osc777'],
    [['WezTerm'], 'osc777'],
    [['xterm-256color', 'WezTerm 20240203'], 'osc777'],
    [['foot'], 'osc777'],
    [['foot-extra'], 'osc777'],
    [['iTerm.app'], 'osc9'],
    [['iTerm2', 'xterm-256color'], 'osc9'],
    [['vscode'], 'bell'],
    [['Apple_Terminal'], 'bell'],
    [['xterm-256color'], 'bell'],
    [[], 'bell'],
  ])('for the terminal names %j are of the type %s', (names, sequence) => {
    expect(sequenceFor(names)).toBe(sequence)
  })
})

describe('notifiers: terminal names', () => {
  it.each([
    ['34816', '/dev/pts/0'],
    ['34819', '/dev/pts/3'],
    ['1083392', '/dev/pts/256'],
    ['1025', '/dev/tty1'],
    ['1088', '/dev/ttyS0'],
    ['1024', undefined],
    ['0', undefined],
    ['', undefined],
    [undefined, undefined],
    ['/dev/pts/0', undefined],
  ])('map %s to %s', (tty, name) => {
    expect(ttyName(tty)).toBe(name)
  })
})
