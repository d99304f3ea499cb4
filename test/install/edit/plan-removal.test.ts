import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HookLayout } from '../../../src/clients/define.ts'
import type { BackupRecord } from '../../../src/install/backup.ts'
import type { Entries } from '../../../src/install/edit/event-map.ts'
import { planInstall } from '../../../src/install/edit/plan.ts'
import {
  isWithoutContent,
  planRemoval,
  verifyRemoval,
} from '../../../src/install/edit/plan-removal.ts'
import { readValue } from '../../../src/install/edit/settings-value.ts'
import { unsplice } from '../../../src/install/edit/splice.ts'
import { hookCommand, isHookCommand } from '../../../src/install/hook-command.ts'
import { sha256 } from '../../../src/text/sha256.ts'
import { runs } from '../../support/runs.ts'
import { fixtures } from '../fixtures.ts'
import { makeSettings } from '../make-settings.ts'

const events = ['Notification', 'Stop', 'SubagentStop', 'SessionEnd']
const command = hookCommand('/state/hookbell-hook', 'droid')
const path = 'settings.json'

// biome-ignore lint/suspicious/noExplicitAny: any JSON
type Json = any

function install(text: string, shape: HookLayout, entries: Entries = 'nested') {
  const hook = { type: 'command', command, timeout: 10 } as const
  return planInstall(text, { path, shape, entries, events, hook })
}

function recordOf(before: string, after: string, edits: BackupRecord['edits']): BackupRecord {
  return {
    version: 1,
    path,
    writtenAt: '',
    before: sha256(before),
    after: sha256(after),
    backup: null,
    edits,
  }
}

function remove(
  text: string,
  shape: HookLayout,
  more: { records?: BackupRecord[]; original?: string } = {},
) {
  return planRemoval(text, { path, shape, records: more.records ?? [], original: more.original })
}

function mapOf(value: Json, shape: HookLayout): Json {
  return shape === 'bare' && typeof value.hooks !== 'object' ? value : (value.hooks ?? {})
}

describe.each(fixtures)('planRemoval: %s', (_, shape, text) => {
  const hasOurs = text.includes('hookbell-hook')
  const plan = install(text, shape)

  it.skipIf(hasOurs)('restores the same bytes from the record of the edit', () => {
    const records = [recordOf(text, plan.text, [plan.spans])]
    expect(remove(plan.text, shape, { records, original: text })).toMatchObject({
      text,
      isExact: true,
    })
  })

  it('leaves no hook of ours without any record', () => {
    expect(remove(plan.text, shape).text).not.toContain('hookbell-hook')
  })

  it('changes nothing the second time', () => {
    const { text: once } = remove(plan.text, shape)
    expect(remove(once, shape)).toMatchObject({ changed: false, spans: [] })
  })
})

describe('planRemoval: random settings', () => {
  const made = fc.record({
    settings: makeSettings(),
    entries: fc.constantFrom<Entries>('nested', 'flat'),
  })

  it('restores the same bytes after two edits', () => {
    fc.assert(
      fc.property(made, ({ settings: { text, shape }, entries }) => {
        const plan = install(text, shape, entries)
        const again = install(plan.text, shape, entries)
        const records = [recordOf(text, again.text, [plan.spans, again.spans])]
        const removal = remove(again.text, shape, { records, original: text })
        expect(removal).toMatchObject({ text, isExact: true })
        expect(unsplice(removal.text, removal.spans)).toBe(again.text)
      }),
      { numRuns: runs(500) },
    )
  })

  it('restores the old value when others changed the file in the meantime', () => {
    fc.assert(
      fc.property(made, ({ settings: { text, value, shape }, entries }) => {
        const plan = install(text, shape, entries)
        const changed = `${plan.text}\n/* by somebody */`
        const removal = remove(changed, shape, { original: text })
        expect(removal.isExact).toBe(false)
        expect(unsplice(removal.text, removal.spans)).toBe(changed)
        expect(removal.text.endsWith('\n/* by somebody */')).toBe(true)
        expect(readValue(removal.text)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { numRuns: runs(500) },
    )
  })

  it('keeps the hooks of others before, after and beside ours', () => {
    const foreign = { type: 'command', command: 'say hello' }
    fc.assert(
      fc.property(made, fc.nat(3), fc.nat(4), ({ settings, entries }, where, indent) => {
        const { text, shape } = settings
        const value = readValue(install(text, shape, entries).text)
        const map = mapOf(value, shape)
        for (const event of events) {
          const entry = entries === 'flat' ? foreign : { hooks: [foreign] }
          if (where === 0 || where === 3) map[event].unshift(entry)
          if (where === 1 || where === 3) map[event].push(entry)
          if (where === 2) map[event].at(-1).hooks?.push(foreign)
        }
        const changed = JSON.stringify(value, null, indent)
        const { text: after, spans } = remove(changed, shape, { original: text })
        expect(unsplice(after, spans)).toBe(changed)
        const left = mapOf(readValue(after), shape)
        const isBeside = where === 2 && entries === 'flat'
        for (const event of events) {
          const hooks = (left[event] ?? []).flatMap((item: Json) => item.hooks ?? [item])
          expect(hooks.some((hook: Json) => isHookCommand(hook.command))).toBe(false)
          expect(hooks.some((hook: Json) => hook.command === 'say hello')).toBe(!isBeside)
        }
      }),
      { numRuns: runs(300) },
    )
  })
})

describe('planRemoval', () => {
  const ours = JSON.stringify({ type: 'command', command, timeout: 10 })

  it.each([
    ['our only hook', `{"hooks":{"Stop":[{"hooks":[${ours}]}]}}`, '{}'],
    [
      'our hook as the first',
      `{"hooks":{"Stop":[{"hooks":[${ours}]}, {"hooks":[]}]}}`,
      '{"hooks":{"Stop":[{"hooks":[]}]}}',
    ],
    [
      'our hook as the last',
      `{"hooks":{"Stop":[{"hooks":[]}, {"hooks":[${ours}]}]}}`,
      '{"hooks":{"Stop":[{"hooks":[]}]}}',
    ],
    [
      'our hook beside another',
      `{"hooks":{"Stop":[{"hooks":[${ours}, {"command":"x"}]}]}}`,
      '{"hooks":{"Stop":[{"hooks":[{"command":"x"}]}]}}',
    ],
    [
      'our hook after a line comment',
      `{"hooks":{"Stop":[{"hooks":[{"command":"x"}, // x\n${ours}]}]}}`,
      '{"hooks":{"Stop":[{"hooks":[{"command":"x"} // x\n]}]}}',
    ],
    [
      'our hook with its line, after a line comment',
      `{"hooks":{"Stop":[{"hooks":[{"command":"x"}, // x\n  ${ours}\n]}]}}`,
      '{"hooks":{"Stop":[{"hooks":[{"command":"x"} // x\n]}]}}',
    ],
    [
      'our hook but not the comment after it',
      `{"hooks":{"Stop":[{"hooks":[${ours}]} // bell\n]}, "a": 1}`,
      '{"hooks":{"Stop":[ // bell\n]}, "a": 1}',
    ],
    [
      'our hook with trailing commas',
      `{"a": 1, "hooks":{"Stop":[{"hooks":[${ours},]},]},}`,
      '{"a": 1,}',
    ],
    [
      'our hook with a matcher that looks like a comment',
      `{"hooks":{"Stop":[{"matcher":"//x","hooks":[${ours}]}]}}`,
      '{}',
    ],
    ['our hook with its matcher', `{"hooks":{"Stop":[{"matcher":"x","hooks":[${ours}]}]}}`, '{}'],
  ])('removes %s', (_, text, after) => {
    expect(remove(text, 'wrapped').text).toBe(after)
  })

  it.each([`{"hooks":[${ours}]}`, `{"hooks":[${ours}]},`, `\n  {"hooks":[${ours}]}\n`])(
    'keeps an empty list from the original text',
    (entry) => {
      const original = '{"hooks":{"Stop":[]}}'
      const text = `{"hooks":{"Stop":[${entry}]}} // mine`
      expect(remove(text, 'wrapped', { original }).text).toBe(`${original} // mine`)
    },
  )

  it('reports a file as removable when it contained nothing but our hooks', () => {
    const plan = install('', 'wrapped')
    const record = { ...recordOf('', plan.text, [plan.spans]), before: null }
    expect(remove(plan.text, 'wrapped', { records: [record], original: '' }).isGone).toBe(true)
    expect(remove(`${plan.text} `, 'wrapped', { records: [record], original: '' }).isGone).toBe(
      true,
    )
    expect(remove(`${plan.text}// my notes`, 'wrapped', { original: '' }).isGone).toBe(false)
    expect(remove(plan.text, 'wrapped').isGone).toBe(false)
    const withVersion = plan.text.replace('{', '{"version": 1,')
    const request = { path, shape: 'wrapped', records: [], original: '' } as const
    expect(planRemoval(withVersion, { ...request, header: { version: 1 } }).isGone).toBe(true)
    expect(planRemoval(withVersion, request).isGone).toBe(false)
  })

  it('undoes the newest of two edits with the same result', () => {
    const { text } = install('{}', 'wrapped')
    const records = ['{"a":1}', '{"b":2}'].map((old) =>
      recordOf(old, text, [[{ offset: 0, length: text.length, removed: old }]]),
    )
    expect(remove(text, 'wrapped', { records })).toMatchObject({ text: '{"b":2}', isExact: true })
  })

  it('restores nothing from a record that does not lead to the recorded text', () => {
    const { text } = install('{"a":1}', 'wrapped')
    const wrong = [[{ offset: 0, length: text.length, removed: '{"b":2}' }]]
    const records = [recordOf('{"a":1}', text, wrong)]
    expect(remove(text, 'wrapped', { records, original: '{"a":1}' })).toMatchObject({
      text: '{"a":1}',
      isExact: false,
    })
  })

  it('rejects a damaged file', () => {
    expect(() => remove(`{"hooks":{"Stop":[${ours}`, 'wrapped')).toThrow(/settings\.json:1:/)
  })
})

const ours = { command: hookCommand('/s/hookbell-hook', 'droid') }

const say = { command: 'say' }

const text = (hooks: object[], model = 'x') =>
  JSON.stringify({ model, hooks: { Stop: [{ hooks }, ...hooks] } })

describe('verifyRemoval', () => {
  it('accepts a text without our hooks', () => {
    const verify = () => verifyRemoval(text([ours, say]), text([say]), { shape: 'wrapped' })
    expect(verify).not.toThrow()
  })

  it.each([
    ['a lost hook', text([]), /something that is not ours would be lost/],
    ['a changed value', text([say], 'y'), /something that is not ours would be lost/],
    ['a hook of ours', text([ours, say]), /a hook of ours is left/],
  ])('rejects %s', (_, after, message) => {
    const verify = () => verifyRemoval(text([ours, say]), after, { shape: 'wrapped' })
    expect(verify).toThrow(message)
  })
})

describe('verifyRemoval of a file without "hooks"', () => {
  const bare = (groups: object[], more: object = {}) => JSON.stringify({ Stop: groups, ...more })
  const before = bare([{ matcher: 'a', hooks: [ours, say] }], { Other: [], version: 1 })
  const verify = (after: string) => () => verifyRemoval(before, after, { shape: 'bare' })

  it('accepts a text without our hooks and without empty lists', () => {
    expect(verify(bare([{ matcher: 'a', hooks: [say] }], { version: 1 }))).not.toThrow()
  })

  it.each([
    ['another matcher', bare([{ matcher: 'b', hooks: [say] }], { version: 1 })],
    ['a lost matcher', bare([{ hooks: [say] }], { version: 1 })],
    ['a lost value', bare([{ matcher: 'a', hooks: [say] }])],
  ])('rejects %s', (_, after) => {
    expect(verify(after)).toThrow(/something that is not ours would be lost/)
  })

  it('rejects a hook of ours', () => {
    expect(verify(before)).toThrow(/a hook of ours is left/)
  })
})

describe('isWithoutContent', () => {
  it.each(['', '{}', '{"hooks": {}}', '{"version": 1}', '{"version": 1, "hooks": {}}'])(
    'is true for %j',
    (content) => {
      expect(isWithoutContent(content, { version: 1 })).toBe(true)
    },
  )

  it.each([
    '{"version": 2}',
    '{"version": 1, "a": 1}',
    '{"hooks": {"Stop": [{"command": "say"}]}}',
    '// mine\n{}',
    '{/* mine */}',
  ])('is false for %j', (content) => {
    expect(isWithoutContent(content, { version: 1 })).toBe(false)
  })
})
