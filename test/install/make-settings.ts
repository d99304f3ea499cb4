import fc from 'fast-check'
import type { HookLayout } from '../../src/clients/define.ts'

export interface MadeSettings {
  text: string
  /** The value of the text, known without parsing it. */
  value: Record<string, unknown>
  shape: HookLayout
}

/** Random settings with hooks of others, in a random formatting style. */
export function makeSettings(): fc.Arbitrary<MadeSettings> {
  return fc
    .record({
      rest: fc.dictionary(keys, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
      hooks: fc.option(events, { nil: undefined }),
      isBare: fc.boolean(),
      at: fc.nat(4),
      style: styles,
    })
    .map(({ rest, hooks, isBare, at, style }) => {
      const shape: HookLayout = isBare ? 'bare' : 'wrapped'
      const entries: [string, unknown][] = Object.entries(rest).filter(([key]) => key !== 'hooks')
      if (!isBare && hooks) entries.splice(at, 0, ['hooks', hooks])
      const value = isBare ? (hooks ?? {}) : Object.fromEntries(entries)
      return { shape, value, text: write(value, style) }
    })
}

const keys = fc.oneof(
  fc.constantFrom('model', '', '__proto__', 'constructor', '🔔', '"', '//', 'a b'),
  fc.string({ unit: 'grapheme' }),
)

const group = fc.record(
  {
    matcher: fc.string(),
    hooks: fc.array(
      fc.record(
        {
          type: fc.constant('command'),
          command: fc.string(),
          timeout: fc.nat(),
          own: fc.jsonValue(),
        },
        { requiredKeys: ['type', 'command'] },
      ),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: ['hooks'] },
)

/** An entry without a group, as Cursor and Copilot have them. */
const flat = fc.record(
  { type: fc.constant('command'), command: fc.string(), bash: fc.string(), timeout: fc.nat() },
  { requiredKeys: [] },
)

const names = [
  ...['Notification', 'Stop', 'SubagentStop', 'SessionEnd', 'PreToolUse', '__proto__'],
  ...['AfterAgent', 'stop', 'sessionEnd', 'agentStop'],
]

const events: fc.Arbitrary<Record<string, unknown>> = fc.dictionary(
  fc.constantFrom(...names),
  fc.array(fc.oneof({ weight: 3, arbitrary: group }, { weight: 1, arbitrary: flat }), {
    maxLength: 3,
  }),
)

interface Style {
  eol: string
  step: string
  isPretty: boolean
  hasBom: boolean
  ending: string
  hasTrailingCommas: boolean
  /** Picks the white space at each place where it may occur. Empty for plain JSON. */
  trivia: number[]
}

const styles: fc.Arbitrary<Style> = fc.record({
  eol: fc.constantFrom('\n', '\r\n', '\r'),
  step: fc.constantFrom('', ' ', '  ', '    ', '\t', '\t\t'),
  isPretty: fc.boolean(),
  hasBom: fc.boolean(),
  ending: fc.constantFrom('', '\n', '\r\n', '  ', '\n\n', '// end', '\n/* end */\n'),
  hasTrailingCommas: fc.boolean(),
  trivia: fc.array(fc.nat(11), { maxLength: 40 }),
})

function write(value: unknown, style: Style): string {
  let drawn = 0
  const text = render(value, '')
  return (style.hasBom ? '\uFEFF' : '') + gap() + text + gap() + style.ending

  function gap(): string {
    const { eol, trivia } = style
    if (trivia.length === 0) return ''
    const kinds = [' ', '\t', eol, `// } ] , "${eol}`, '/* { [ */', `/* x${eol} */`, '/**/']
    drawn += 1
    return kinds[trivia[drawn % trivia.length] ?? 11] ?? ''
  }

  function render(node: unknown, indent: string): string {
    if (typeof node !== 'object' || node === null) return JSON.stringify(node)
    const inner = indent + style.step
    const isArray = Array.isArray(node)
    const items = isArray
      ? node.map((item) => render(item, inner))
      : Object.entries(node).map(
          ([key, item]) => `${JSON.stringify(key)}${gap()}:${gap()}${render(item, inner)}`,
        )
    const line = (at: string) => (style.isPretty ? style.eol + at : '')
    const trailing = style.hasTrailingCommas && items.length > 0 ? `,${gap()}` : ''
    const body = items.map((item) => line(inner) + gap() + item + gap()).join(',')
    const [open, close] = isArray ? '[]' : '{}'
    return open + (body || gap()) + trailing + (items.length > 0 ? line(indent) : '') + close
  }
}
