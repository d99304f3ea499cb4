import { describe, expect, it } from 'vitest'
import { planInstall, verifyInstall } from '../../../src/install/edit/plan.ts'
import { hookCommand } from '../../../src/install/hook-command.ts'

const hook = {
  type: 'command',
  command: hookCommand('/s/hookbell-hook', 'droid'),
  timeout: 10,
} as const
const request = { path: 'f', shape: 'wrapped', events: ['Stop'], hook } as const
const before = '{"model":"x","hooks":{"Stop":[{"hooks":[{"type":"command","command":"say"}]}]}}'

/** Verifies a valid plan after one change to its text. */
function verifyWith(change: (text: string) => string) {
  const { text, spans } = planInstall(before, request)
  const changed = change(text)
  // One span over the whole text, as if the change were planned: only the check of the values can fail.
  const all = changed === text ? spans : [{ offset: 0, length: changed.length, removed: before }]
  return () => verifyInstall(before, changed, all, 'wrapped', request)
}

describe('verifyInstall', () => {
  it('accepts the planned text', () => {
    expect(verifyWith((text) => text)).not.toThrow()
  })

  it('accepts a plan without a change if no event is requested', () => {
    const { changed, text } = planInstall('{}', { ...request, events: [] })
    expect([changed, text]).toEqual([false, '{}'])
  })

  it.each<[string, (text: string) => string, RegExp]>([
    ['a changed value', (text) => text.replace('"x"', '"y"'), /the value is not as expected/],
    ['a changed command', (text) => text.replace('"say"', '"pay"'), /a hook is lost/],
    [
      'a lost hook',
      (text) => text.replace('{"type":"command","command":"say"}', ''),
      /a hook is lost/,
    ],
    ['an extra key', (text) => text.replace('{', '{"by":"us",'), /the value is not as expected/],
    [
      'a second hook of ours',
      (text) => text.replace(/,(\{"hooks":.*?\}\])\}/, ',$1},$1}'),
      /not as expected/,
    ],
    ['a comment in plain JSON', (text) => `// us\n${text}`, /not JSON any more/],
    ['a comma in plain JSON', (text) => text.replace(/\}$/, ',}'), /not JSON any more/],
  ])('rejects %s', (_, change, message) => {
    expect(verifyWith(change)).toThrow(message)
  })

  it('rejects spans that do not restore the old text', () => {
    const { text, spans } = planInstall(before, request)
    const [first] = spans
    const wrong = [{ offset: 1, length: first?.length ?? 0, removed: '' }]
    expect(() => verifyInstall(before, text, wrong, 'wrapped', request)).toThrow(
      /does not come back/,
    )
  })
})
