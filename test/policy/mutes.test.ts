import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  describeMute,
  findMute,
  isSameExtent,
  makeMute,
  unmuteCommand,
} from '../../src/policy/mutes.ts'

describe('a mute', () => {
  const whose = {
    sessionId: 'abc-def',
    project: 'shop',
    cwd: '/srv/code/shop',
    kind: 'done',
    isQuestion: false,
  }

  it.each([
    [{}, true],
    [{ session: 'abc' }, true],
    [{ session: 'def' }, false],
    [{ project: 'shop' }, true],
    [{ project: 'sho' }, false],
    [{ project: '/srv/code' }, true],
    [{ project: '/srv/wor' }, false],
    [{ project: '/srv/code/shop/' }, true],
    [{ project: '/' }, true],
    [{ project: '/code' }, false],
    [{ project: '/srv/code/shop/src' }, false],
    [{ session: 'abc', project: 'other' }, false],
    [{ kind: 'done' }, true],
    [{ kind: 'permission' }, false],
    [{ project: 'other', kind: 'done' }, false],
  ])('of %j applies to the event: %s', (said, expected) => {
    const mute = makeMute({ until: 10, ...said })
    expect(findMute([mute], whose, 9)).toEqual(expected ? mute : undefined)
    expect(findMute([mute], whose, 10)).toBeUndefined()
  })

  it.each([
    [{}, 'without an end'],
    [{ until: Date.parse('2026-11-20T09:00Z') }, 'until 2026-11-20 09:00'],
    [{ session: 'abc', project: 'shop.x' }, 'without an end (session abc, project shop.x)'],
    [{ project: 'shop', kind: 'done' }, 'without an end (project shop, kind done)'],
    [{ questions: true }, 'without an end, questions too'],
    [{ project: 'shop', questions: true }, 'without an end (project shop), questions too'],
    [{ project: '.' }, `without an end (project ${process.cwd()})`],
    [{ project: '..' }, `without an end (project ${dirname(process.cwd())})`],
    [{ project: 'shop..' }, 'without an end (project shop..)'],
    [{ project: '.github' }, 'without an end (project .github)'],
    [{ project: 'a/b' }, `without an end (project ${join(process.cwd(), 'a/b')})`],
  ])('of %j is described', (said, expected) => {
    expect(describeMute(makeMute({ until: 0, ...said }))).toBe(`Muted ${expected}`)
  })

  it('of a project by name applies to its linked work trees', () => {
    const mutes = [makeMute({ until: 0, project: 'shop' })]
    const isMuted = (project: string) => findMute(mutes, { ...whose, project }, 0) !== undefined
    expect(['shop (bold-fox)', 'shop-2', 'bold-fox (shop)'].map(isMuted)).toEqual([
      true,
      false,
      false,
    ])
  })

  it.each([
    [{}, false],
    [{ project: 'shop' }, false],
    [{ kind: 'done' }, false],
    [{ questions: true }, true],
    [{ session: 'abc', questions: true }, true],
    [{ session: 'def', questions: true }, false],
    [{ kind: 'permission' }, true],
  ])('of %j applies to a question: %s', (said, expected) => {
    const question = { ...whose, kind: 'permission', isQuestion: true }
    const mute = makeMute({ until: 10, ...said })
    expect(findMute([mute], question, 9)).toEqual(expected ? mute : undefined)
  })

  it('of a folder does not apply to an event whose folder is unknown', () => {
    const mutes = [makeMute({ until: 0, project: '/' })]
    expect(findMute(mutes, { ...whose, cwd: '' }, 0)).toBeUndefined()
  })

  it('is limited only by what is given', () => {
    expect(makeMute({ until: 7, session: '', project: undefined })).toEqual({ until: 7 })
  })

  it.each([
    [{}, 'hookbell unmute'],
    [{ session: 'abc' }, "hookbell unmute --session 'abc'"],
    [
      { project: "it's", kind: 'done' },
      String.raw`hookbell unmute --project 'it'\''s' --kind 'done'`,
    ],
  ])('of %j is removed by the command %j', (mute, command) => {
    expect(unmuteCommand(mute)).toBe(command)
  })

  it.each([
    [{}, {}, true],
    [{ session: 'a' }, { session: 'b' }, false],
    [{ project: 'a' }, {}, false],
    [{ project: 'a' }, { project: 'a' }, true],
    [{ kind: 'done' }, { kind: 'failed' }, false],
  ])('of %j has the same extent as one of %j: %s', (one, other, expected) => {
    expect(isSameExtent({ until: 0, ...one }, { until: 9, ...other })).toBe(expected)
  })
})
