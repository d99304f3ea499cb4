import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import type { HookLayout } from '../../../src/clients/define.ts'
import { HookbellError } from '../../../src/errors.ts'
import { type Plan, planInstall } from '../../../src/install/edit/plan.ts'
import { unsplice } from '../../../src/install/edit/splice.ts'
import { hookCommand, isHookCommand } from '../../../src/install/hook-command.ts'
import { runs } from '../../support/runs.ts'
import { fixtures, refusals } from '../fixtures.ts'
import { makeSettings } from '../make-settings.ts'

const events = ['Notification', 'Stop', 'SubagentStop', 'SessionEnd']
const command = hookCommand('/state/hookbell-hook', 'droid')
const hook = { type: 'command', command, timeout: 10 } as const

function install(text: string, shape: HookLayout, overrides = {}): Plan {
  return planInstall(text, { path: 'settings.json', shape, events, hook, ...overrides })
}

/** Plans one short event, so that the layout stays readable. */
function layout(text: string, shape: HookLayout = 'wrapped'): string {
  const short = { type: 'command', command: '/h/hookbell-hook --client droid', timeout: 1 } as const
  return install(text, shape, { events: ['Stop'], hook: short }).text
}

// biome-ignore lint/suspicious/noExplicitAny: any JSON
type Json = any

function eventMap(value: Json, shape: HookLayout): Json {
  return shape === 'bare' ? value : (value.hooks ?? {})
}

function commandsOf(value: Json, shape: HookLayout, event: string): string[] {
  const groups: Json[] = eventMap(value, shape)[event] ?? []
  return groups.flatMap((group) => (group.hooks ?? []).map((each: Json) => each.command))
}

/** The text without the parts that the plan added, and the parts that it removed. */
function foreignText({ text, spans }: Plan): { text: string; removed: string[] } {
  let rest = text
  for (const { offset, length } of spans.toReversed()) {
    rest = rest.slice(0, offset) + rest.slice(offset + length)
  }
  return { text: rest, removed: spans.map(({ removed }) => removed).filter(Boolean) }
}

describe.each(fixtures)('planInstall: %s', (_, shape, text) => {
  const plan = install(text, shape)
  const value = parse(plan.text.replace('\uFEFF', ''), [], { allowTrailingComma: true })

  it('registers every event with our command', () => {
    for (const event of events) {
      const ours = commandsOf(value, plan.shape, event).filter(isHookCommand)
      expect(new Set(ours)).toEqual(new Set([command]))
    }
  })

  it('can be reverted byte for byte', () => {
    expect(Buffer.from(unsplice(plan.text, plan.spans))).toEqual(Buffer.from(text))
  })

  it('removes only older values of ours', () => {
    const { removed } = foreignText(plan)
    for (const part of removed) expect(['5', ...ourOldCommands]).toContain(part)
    if (removed.length === 0) expect(foreignText(plan).text).toBe(text)
  })

  it('changes nothing the second time', () => {
    const again = install(plan.text, shape)
    expect(again).toMatchObject({ changed: false, text: plan.text, spans: [] })
  })

  it('adds no comments and no extra keys', () => {
    for (const { offset, length } of plan.spans) {
      const added = plan.text.slice(offset, offset + length).replaceAll(JSON.stringify(command), '')
      expect(added).not.toMatch(/\/[/*]/)
      const added_keys = [...added.matchAll(/"([^"]*)"\s*:/g)].map(([, key]) => key)
      expect(['hooks', 'type', 'command', 'timeout', ...events]).toEqual(
        expect.arrayContaining(added_keys),
      )
    }
  })
})

const ourOldCommands = ['droid', 'claude'].map((client) =>
  JSON.stringify(`{ '/old/hookbell-hook' --client ${client}; } >/dev/null 2>&1 || :`),
)

describe('planInstall: random settings', () => {
  it('keep every byte and value of others in any style', () => {
    fc.assert(
      fc.property(makeSettings(), ({ text, value, shape }) => {
        const plan = install(text, shape)
        expect(foreignText(plan)).toEqual({ text, removed: [] })
        expect(unsplice(plan.text, plan.spans)).toBe(text)
        expect(install(plan.text, shape).changed).toBe(false)
        const after = JSON.parse(withoutComments(plan.text))
        expect(isDeepStrictEqual(after, expectedValue(value, shape))).toBe(true)
      }),
      { numRuns: runs(500) },
    )
  })

  it('cause an error or a reversible plan when a byte is lost or doubled', () => {
    const cut = fc.tuple(makeSettings(), fc.nat(), fc.boolean())
    fc.assert(
      fc.property(cut, ([{ text, shape }, at, isDoubled]) => {
        const where = at % (text.length + 1)
        const damaged = isDoubled
          ? text.slice(0, where + 1) + text.slice(where)
          : text.slice(0, where) + text.slice(where + 1)
        try {
          const plan = install(damaged, shape)
          expect(unsplice(plan.text, plan.spans)).toBe(damaged)
        } catch (error) {
          expect(error).toBeInstanceOf(HookbellError)
          expect((error as HookbellError).code).toBe('E_SETTINGS')
        }
      }),
      { numRuns: runs(500) },
    )
  })
})

/** Written for these tests, so that the result is not checked with the package that planned it. */
function withoutComments(text: string): string {
  const plain = drop(text.replace('\uFEFF', ''), /"(?:[^"\\]|\\.)*"|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g)
  return drop(plain, /"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])/g)
}

function drop(text: string, tokens: RegExp): string {
  return text.replace(tokens, (token) => (token[0] === '"' ? token : ''))
}

function expectedValue(value: Record<string, unknown>, shape: HookLayout): unknown {
  const copy = JSON.parse(JSON.stringify(value))
  if (shape === 'wrapped' && !Object.hasOwn(copy, 'hooks')) copy.hooks = {}
  const map = eventMap(copy, shape)
  for (const event of events) map[event] = [...(map[event] ?? []), { hooks: [{ ...hook }] }]
  return copy
}

describe('planInstall: rejected texts', () => {
  it.each(refusals)('rejects %s with its position', (_, shape, text, message) => {
    expect(() => install(text, shape)).toThrow(
      expect.objectContaining({ code: 'E_SETTINGS', message: `settings.json:${message}` }),
    )
  })

  it.each([
    ['{"hooks": {"stop": {}}}', '1:20: "stop" is an object, not an array'],
    ['{"hooks": {"stop": ["x"]}}', '1:21: a hook entry is a string, not an object'],
  ])('rejects %s if the client has an event of that name', (text, message) => {
    const flat = { entries: 'flat', events: ['stop'] }
    expect(() => install(text, 'wrapped', flat)).toThrow(
      expect.objectContaining({ code: 'E_SETTINGS', message: `settings.json:${message}` }),
    )
    expect(install(text, 'wrapped').text).toContain('"Stop"')
  })

  it('says that nothing was written', () => {
    expect(() => install('{', 'bare')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Nothing was written') }),
    )
  })
})

describe('planInstall: layout', () => {
  it.each([
    ['', '{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": ['],
    ['{\r\n\t"a": 1\r\n}\r\n', '{\r\n\t"a": 1,\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{'],
    ['{"a":1}', '{"a":1,"hooks":{"Stop":[{"hooks":[{"type":"command",'],
    ['{"a": 1}', '{"a": 1, "hooks": {"Stop": [{"hooks": [{"type": "command", '],
    ['{"a": 1, "hooks": {}}', '{"a": 1, "hooks": {"Stop": [{"hooks": [{"type": "command", '],
    ['{\n  "a": 1 /* one */\n}', '{\n  "a": 1, /* one */\n  "hooks": {'],
    ['{\n  "a": 1, // one\n}', '{\n  "a": 1, // one\n  "hooks": {'],
    ['{\n  "a": 1\n  , // one\n}', '{\n  "a": 1\n  , // one\n  "hooks": {'],
    ['// x', '// x\n{\n  "hooks"'],
    ['\uFEFF', '\uFEFF{\n  "hooks"'],
  ])('follows the style of %j', (text, start) => {
    expect(layout(text).slice(0, start.length)).toBe(start)
  })

  it('keeps a comment on its line', () => {
    expect(layout('{\n  "a": 1 // one\n  // more\n}\n')).toMatchInlineSnapshot(`
      "{
        "a": 1, // one
        "hooks": {
          "Stop": [
            {
              "hooks": [
                {
                  "type": "command",
                  "command": "/h/hookbell-hook --client droid",
                  "timeout": 1
                }
              ]
            }
          ]
        }
        // more
      }
      "
    `)
  })

  it('continues after a closing brace in the style of the file', () => {
    expect(
      layout('{\n\t"hooks": {\n\t\t"Stop": [{\n\t\t\t"hooks": []\n\t\t}]\n\t}\n}\n'),
    ).toMatchInlineSnapshot(`
      "{
      	"hooks": {
      		"Stop": [{
      			"hooks": []
      		}, {
      			"hooks": [
      				{
      					"type": "command",
      					"command": "/h/hookbell-hook --client droid",
      					"timeout": 1
      				}
      			]
      		}]
      	}
      }
      "
    `)
  })

  it('stays on the line of a one-line list', () => {
    expect(layout('{\n  "Stop": [{ "hooks": [] }]\n}\n', 'bare')).toMatchInlineSnapshot(`
      "{
        "Stop": [{ "hooks": [] }, {"hooks": [{"type": "command", "command": "/h/hookbell-hook --client droid", "timeout": 1}]}]
      }
      "
    `)
  })

  it('updates only the values of an older hook of ours', () => {
    const text = `{"Stop": [{"matcher": "x", "hooks": [{"command": "'/old/hookbell-hook' --client droid", "async": true}]}]}`
    expect(layout(text, 'bare')).toMatchInlineSnapshot(
      `"{"Stop": [{"matcher": "x", "hooks": [{"command": "/h/hookbell-hook --client droid", "async": true, "type": "command", "timeout": 1}]}]}"`,
    )
  })
})
