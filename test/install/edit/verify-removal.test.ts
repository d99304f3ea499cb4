import { describe, expect, it } from 'vitest'
import { isWithoutContent, verifyRemoval } from '../../../src/install/edit/verify-removal.ts'
import { hookCommand } from '../../../src/install/hook-command.ts'

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
