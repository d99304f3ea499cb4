import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/delivery.ts'
import {
  placesInTheme,
  soundOf,
  soundOption,
  USUAL_SOUND,
} from '../../../src/notifiers/desktop/sound.ts'
import { makeFolder } from '../../support/folder.ts'
import { makeHome } from '../../support/home.ts'
import { shellQuote } from '../../support/shell-quote.ts'

const usual = USUAL_SOUND

describe('notifiers: desktop: sound', () => {
  it.each<[unknown, Partial<Message>, string | undefined]>([
    [undefined, { kind: 'permission' }, undefined],
    [false, { kind: 'permission' }, undefined],
    [true, { kind: 'done' }, usual],
    ['asks', { kind: 'permission' }, usual],
    ['asks', { kind: 'waiting' }, usual],
    ['asks', { kind: 'done', asks: true }, usual],
    ['asks', { kind: 'done' }, undefined],
    ['asks', { kind: 'failed' }, undefined],
    [{ done: 'complete' }, { kind: 'done' }, 'complete'],
    [{ done: 'complete' }, { kind: 'permission' }, undefined],
    [{ done: true, failed: false }, { kind: 'done' }, usual],
    [{ done: true, failed: false }, { kind: 'failed' }, undefined],
    [{ done: 'complete', waiting: 'bell' }, { kind: 'done', asks: true }, 'bell'],
    [{ done: 'complete' }, { kind: 'done', asks: true }, 'complete'],
    [{ done: '/srv/ding.oga' }, { kind: 'done' }, '/srv/ding.oga'],
  ])('with %j, a message of %j sounds as %s', (option, message, sound) => {
    expect(soundOf({ kind: 'done', ...message }, soundOption.parse(option))).toBe(sound)
  })

  it.each([['ring'], [{ done: '../ding.oga' }], [{ done: 'a b' }], [{ finished: true }], [7]])(
    'rejects %j',
    (option) => expect(soundOption.safeParse(option).success).toBe(false),
  )

  it.skipIf(process.platform === 'darwin')('looks for a name in the first folder first', () => {
    const found = placesInTheme('complete', ['/own', '/shared'])
    expect(found[0]).toBe('/own/freedesktop/stereo/complete.oga')
    expect(found.at(-1)).toBe('/shared/freedesktop/stereo/complete.wav')
  })
})

describe('hookbell test --sound', () => {
  it.runIf(process.platform === 'linux')(
    'plays each sound once, and names its kinds and the program',
    async () => {
      const folder = await makeFolder()
      const [ding, notes] = [join(folder, 'ding.oga'), join(folder, 'notes')]
      writeFileSync(ding, '')
      const script = `#!/bin/sh\nprintf '%s\\n' "$@" >>${shellQuote(notes)}\n`
      writeFileSync(join(folder, 'paplay'), script, { mode: 0o755 })
      const sound = { done: ding, failed: ding }
      const home = await makeHome({ channels: { desk: { type: 'desktop', sound } } })
      home.env.PATH = `${folder}:${home.env.PATH}`
      const { stdout, exitCode } = await home.run('test', 'desk', '--sound')
      expect({ stdout, exitCode }).toEqual({
        stdout: `ok done, failed: ${ding}, by paplay`,
        exitCode: 0,
      })
    },
  )

  it.each([
    [{ desk: { type: 'desktop' } }, 64, 'x test: desk has no sound'],
    [{ desk: { type: 'file', path: '~/x' } }, 64, 'x test: "desk" is no desktop channel'],
    [
      { desk: { type: 'desktop', sound: { done: '/no/such.oga' } } },
      69,
      'x test: desktop: there is no sound /no/such.oga',
    ],
  ])('says why nothing is heard with %j', async (channels, code, message) => {
    const home = await makeHome({ channels })
    const { stderr, exitCode } = await home.run('test', 'desk', '--sound')
    expect({ exitCode, first: stderr.split('\n')[0] }).toEqual({ exitCode: code, first: message })
  })
})
