import { redact } from '../src/text/redact/redact.ts'
import { hardTexts } from '../test/text/redact/hard-texts.ts'
import { printTable } from './_bench.ts'

const RUNS = 3
/** Ten times the length may take this many times as long. */
const MAX_GROWTH = 20
/** A rule that looked back at each character would alone take hundreds of times as long as one word. */
const MAX_SEARCH = 1000
/** Shorter times only measure the clock and the garbage collector. */
const SHORT_MS = 20

const pieces = {
  'one long word': 'a',
  digits: '0123456789abcdef',
  prose: 'The password is used here, and the user has set a key. ',
  code: 'const token = process.env.TOKEN // sets the API key\n',
}

/** Measures whether redaction takes time in proportion to the length of a text. */
export function benchRedaction() {
  const grown = hardTexts.flatMap(([name, texts]) =>
    texts.map((text) => [name, growth(text)] as const),
  )
  const searched = Object.entries(pieces).map(([name, piece]) => {
    const text = piece.repeat(200_000 / piece.length)
    const word = measure(() => text.replace(/(?<![a-z])sesame(?=[a-z])/gi, ''))
    return [name, measure(() => redact(text)) / word] as const
  })
  const rows = [
    ['a text of 100,000 characters against one of 10,000', grown, MAX_GROWTH],
    ['a search for all secrets against one for a word', searched, MAX_SEARCH],
  ] as const
  printTable('redaction, in processor time', [
    ['', 'worst ratio', 'limit', 'of'],
    ...rows.map(([title, ratios, limit]) => {
      const [name, ratio] = ratios.reduce((one, other) => (other[1] > one[1] ? other : one))
      if (ratio > limit) process.exitCode = 1
      return [title, ratio.toFixed(1), `${limit}`, JSON.stringify(name)]
    }),
  ])
}

/** @returns 1 if the long text takes so little time that the ratio would mean nothing */
function growth(text: (length: number) => string): number {
  const search = (length: number) => {
    const searched = text(length)
    return measure(() => redact(searched, ['some secret']))
  }
  const long = search(100_000)
  return long < SHORT_MS ? 1 : long / search(10_000)
}

/** The processor time of the fastest run, in ms. Other processes hardly change it; the garbage collector does. */
function measure(work: () => unknown): number {
  const times = Array.from({ length: RUNS }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...times)
}
