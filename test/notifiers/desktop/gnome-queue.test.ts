import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { rowsOf } from '../../../src/notifiers/desktop/fit-rows.ts'
import { desktop } from '../../../src/notifiers/desktop.ts'
import { missingDesktopPrograms, startDesktop } from '../../support/desktop.ts'
import { startGnomeShell } from '../../support/gnome-shell.ts'
import { makeContext, makeMessage } from '../_suite.ts'

const missing = missingDesktopPrograms()
const reason = missing.length > 0 ? ` (skipped: ${missing.join(', ')} not installed)` : ''

describe.skipIf(reason)(`notifiers: desktop: GNOME Shell${reason}`, () => {
  let screen: Awaited<ReturnType<typeof startDesktop>>
  let gnome: Awaited<ReturnType<typeof startGnomeShell>>

  beforeAll(async () => {
    screen = await startDesktop({ daemon: false })
  })
  afterAll(() => screen.close())
  beforeEach(async () => {
    gnome = await startGnomeShell(screen.env.DBUS_SESSION_BUS_ADDRESS ?? '')
  })
  afterEach(() => gnome.stop())

  const options = desktop.options.parse({})
  const send = (fields: Parameters<typeof makeMessage>[0]) =>
    desktop.send(makeMessage(fields), options, makeContext({ sessionEnv: screen.env }))
  const ask = async (title: string) => {
    const sent = await send({ title, urgency: 'critical' })
    return Object(sent).handle as string
  }
  const withdraw = (handle: string) =>
    desktop.withdraw?.(handle, options, makeContext({ sessionEnv: screen.env }))

  it('a question that waits behind another one is shown when that is answered', async () => {
    const first = await ask('first')
    await send({ title: 'done' })
    const second = await ask('second')
    expect(gnome.banner()?.title).toBe('first')
    expect(await withdraw(first)).toBe('taken off the screen')
    expect(gnome.banner()?.title).toBe('second')
    await withdraw(second)
    expect(gnome.banner()?.title).toBe('done')
    expect(gnome.shownTitles).toEqual(['first', 'second', 'done'])
  })

  it('a question that waits is shown also while do-not-disturb is on', async () => {
    gnome.doNotDisturb()
    const first = await ask('first')
    await ask('second')
    await withdraw(first)
    expect(gnome.shownTitles).toEqual(['first', 'second'])
  })

  it('nothing else is drawn when an answered question was the only notification', async () => {
    await withdraw(await ask('alone'))
    expect(gnome.banner()).toBeUndefined()
    expect(gnome.shownTitles).toEqual(['alone'])
  })

  it('a long command leaves room for its session, in the six rows that are shown', async () => {
    const body = Array.from({ length: 9 }, (_, at) => `line ${at + 1}`).join('\n')
    const origin = { label: 's1', project: 'shop', branch: 'main', host: '', reply: '' }
    await send({ title: 'long', body, origin, urgency: 'critical' })
    expect(gnome.banner()?.body.split('\n').slice(0, 6)).toEqual([
      ...['line 1', 'line 2', 'line 3 …', 'line 8', 'line 9'],
      expect.stringMatching(/^— s1 · main/),
    ])
  })

  it('a long command leaves more room for a session that is named by its first prompt', async () => {
    const body = 'echo '.repeat(200)
    const label = 'Find out why the import of the orders takes a minute longer…'
    const origin = { label, project: 'shop', branch: 'main', host: '', reply: '' }
    await send({ title: 'long', body, origin, urgency: 'critical' })
    const shown = gnome.banner()?.body ?? ''
    expect(shown).toMatch(/^echo .*….*echo \n— Find out .*… · main/)
    expect(shown.split('\n').reduce((sum, line) => sum + rowsOf(line), 0)).toBe(6)
  })
})
