import { existsSync, readFileSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { desktop } from '../../src/notifiers/desktop.ts'
import { startService, text as stringOf } from '../support/dbus-service.ts'
import { missingDesktopPrograms, startDesktop } from '../support/desktop.ts'
import { makeFolder } from '../support/folder.ts'
import { runs } from '../support/runs.ts'
import { shellQuote } from '../support/shell-quote.ts'
import { answerOf, failureOf, makeContext, makeMessage, testNotifier } from './_suite.ts'

const missing = missingDesktopPrograms()
const reason = missing.length > 0 ? ` (skipped: ${missing.join(', ')} not installed)` : ''

const oddTexts = [
  '-rf',
  '--help',
  '--icon=x',
  '--',
  '[x] {y} (z)',
  '<b>bold</b>',
  '<a href="https://evil.test">bank</a>',
  '<img src="/etc/passwd">',
  '&lt;b&gt; &amp; &#60;',
  '"double" \'single\' `id` $(id) $HOME !!',
  'C:\\new\\table \\x41 \\101 \\\\ \\',
  '%s %n %b %%',
  '~ * ? # ; | & > <',
  '😀 é 漢字 👨‍👩‍👧‍👦 עברית',
]

describe.skipIf(reason)(`notifiers: desktop${reason}`, () => {
  let screen: Awaited<ReturnType<typeof startDesktop>>

  beforeAll(async () => {
    screen = await startDesktop()
  })
  afterAll(() => screen.close())

  const send = (fields = {}, options = {}, sessionEnv: Record<string, string> = screen.env) =>
    desktop.send(
      makeMessage(fields),
      desktop.options.parse({ timeoutSeconds: 1, ...options }),
      makeContext({ sessionEnv }),
    )

  /** Sends a message, and waits for the notification on the bus. */
  const show = async (fields = {}, options = {}) => {
    await screen.caughtUp()
    const count = screen.notices.length
    expect(answerOf(await send(fields, options))).toBe('shown by notify-send')
    await screen.caughtUp()
    expect(screen.notices).toHaveLength(count + 1)
    return screen.notices.at(-1) ?? expect.fail('nothing shown')
  }

  /** The text that the daemon shows for a body with markup. */
  const unescapeMarkup = (body: string) =>
    body.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

  testNotifier({
    notifier: desktop,
    accept: async () => {
      await screen.caughtUp()
      const count = screen.notices.length
      const arrived = async () => {
        await screen.caughtUp()
        const { title, body } = screen.notices[count] ?? expect.fail('nothing shown')
        return `${title}\n${unescapeMarkup(body)}`
      }
      const context = { sessionEnv: screen.env }
      return { options: { timeoutSeconds: 1 }, context, arrived }
    },
  })

  it.each(oddTexts)('shows the text %s unchanged', async (text) => {
    const notice = await show({ title: text, body: `${text}\nsecond line ${text}` })
    expect(notice.title).toBe(text)
    expect(unescapeMarkup(notice.body)).toBe(`${text}\nsecond line ${text}`)
  })

  it('shows any text unchanged', () =>
    fc.assert(
      fc.asyncProperty(
        fc.string({
          unit: fc.constantFrom('\\', 'n', '0', '<', '&', ';', '-', '"', '$', 'é', '😀'),
        }),
        async (text) => {
          const notice = await show({ title: `.${text}`, body: text })
          expect(notice.title).toBe(`.${text}`)
          expect(unescapeMarkup(notice.body)).toBe(text)
          expect(notice.body).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/)
        },
      ),
      { numRuns: runs(40) },
    ))

  it('replaces lone surrogates and removes control characters', async () => {
    const notice = await show({ title: 'a\ud800b\0c', body: '\ud800\x1b[31mred\x07' })
    expect(notice).toMatchObject({ title: 'a\ufffdbc', body: '\ufffdred' })
  })

  it('truncates a megabyte of text', async () => {
    const notice = await show({ title: '<'.repeat(1_000_000), body: '&😀'.repeat(400_000) })
    expect(notice.title).toHaveLength(200)
    expect(unescapeMarkup(notice.body).length).toBeLessThanOrEqual(3000)
    expect(notice.body.endsWith('…')).toBe(true)
  })

  it('uses a default title for a message without one', async () => {
    expect(await show({ title: '', body: '' })).toMatchObject({ title: 'hookbell', body: '' })
  })

  it.each([
    ['permission', 'permission'],
    ['waiting', 'waiting'],
    ['done', 'done'],
    ['failed', 'failed'],
    ['abnormal-end', 'failed'],
    ['ended', ''],
  ] as const)('shows a picture for the kind %s', async (kind, picture) => {
    const { icon } = await show({ kind })
    expect(basename(icon, '.png')).toBe(picture)
    if (icon) expect(readFileSync(icon).toString('latin1')).toMatch(/^\x89PNG/)
  })

  it.each([
    ['low', 0],
    ['normal', 1],
    ['critical', 2],
  ])('passes on the urgency %s', async (urgency, level) => {
    const notice = await show({ urgency }, { timeoutSeconds: 7 })
    const expireMs = urgency === 'critical' ? 0 : 7000
    expect(notice).toMatchObject({ appName: 'hookbell', hints: { urgency: level }, expireMs })
  })

  /** Shows a critical notification, and returns its handle. */
  const ask = async (title: string, context = {}) => {
    const channel = desktop.options.parse({ timeoutSeconds: 1 })
    const message = makeMessage({ title, urgency: 'critical' })
    const own = makeContext({ sessionEnv: screen.env, ...context })
    const sent = await desktop.send(message, channel, own)
    const { answer, handle } = typeof sent === 'string' ? { answer: sent } : sent
    return { answer, handle: handle ?? expect.fail(`no handle: ${answer}`) }
  }
  const withdraw = (handle: string, sessionEnv: Record<string, string> = screen.env) =>
    desktop.withdraw?.(handle, desktop.options.parse({}), makeContext({ sessionEnv }))
  const closedFor = async (handle: string) => {
    await screen.caughtUp()
    const id = Number(handle.split('/')[1])
    return screen.closed.filter(([closed]) => closed === id).map(([, why]) => why)
  }

  it('keeps a critical notification until it is withdrawn', async () => {
    const { handle } = await ask('stays')
    const before = screen.closed.length
    await show({ title: 'goes' }, { timeoutSeconds: 1 })
    // Reason 1 of the specification: it expired. The critical one is older, so it would have expired first.
    await expect.poll(() => screen.closed.slice(before).map(([, why]) => why)).toContain(1)
    expect(await closedFor(handle)).toEqual([])
    expect(await withdraw(handle)).toBe('taken off the screen')
    expect(await closedFor(handle)).toEqual([3])
  })

  it('does not take a notification for gone while the daemon hangs', async () => {
    const { handle } = await ask('is answered')
    screen.daemon?.kill('SIGSTOP')
    const error = await withdraw(handle)?.catch((thrown) => thrown)
    screen.daemon?.kill('SIGCONT')
    expect(error).toMatchObject({ verdict: 'retry' })
    await withdraw(handle)
    expect(await closedFor(handle)).toEqual([3])
  })

  it('replaces an earlier notification', async () => {
    const first = await ask('first')
    const next = await ask('next', { replaces: first.handle })
    expect(next).toEqual({
      answer: 'shown by notify-send, replacing the earlier one',
      handle: first.handle,
    })
    await screen.caughtUp()
    expect(screen.notices.at(-1)).toMatchObject({
      title: 'next',
      replacesId: Number(first.handle.split('/')[1]),
    })
    await withdraw(next.handle)
  })

  /** Puts a program that only notes its arguments into the PATH. @returns what it noted */
  async function stubPlayer(name: string) {
    const folder = await makeFolder()
    const notes = join(folder, 'notes')
    const script = `#!/bin/sh\nprintf '%s\\n' "$@" >>${shellQuote(notes)}\nexec sleep 1\n`
    await writeFile(join(folder, name), script, { mode: 0o755 })
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    return () => (existsSync(notes) ? readFileSync(notes, 'utf8') : '')
  }

  it('replaces the text of a notification without a sound, and only on the desktop that shows it', async () => {
    const { handle } = await ask('first')
    const update = (shown: string) => {
      const channel = desktop.options.parse({ sound: true })
      const message = makeMessage({ title: 'next', urgency: 'critical' })
      return desktop.update?.(shown, message, channel, makeContext({ sessionEnv: screen.env }))
    }
    expect(await update(handle)).toBe(handle)
    await screen.caughtUp()
    const replacesId = Number(handle.split('/')[1])
    expect(screen.notices.at(-1)).toMatchObject({ title: 'next', replacesId, expireMs: 0 })
    expect(screen.notices.at(-1)?.hints).not.toHaveProperty('sound-name')
    const count = screen.notices.length
    expect(await update(':1.99999/1')).toBe(':1.99999/1')
    await screen.caughtUp()
    expect(screen.notices).toHaveLength(count)
    await withdraw(handle)
  })

  it.each([':1.99999/1', 'damaged'])(
    'replaces and withdraws nothing with the handle %s',
    async (handle) => {
      const { handle: own, answer } = await ask('alone', { replaces: handle })
      expect(answer).toBe('shown by notify-send')
      await screen.caughtUp()
      expect(screen.notices.at(-1)).toMatchObject({ title: 'alone', replacesId: 0 })
      expect(await withdraw(handle)).toMatch(
        /^(it was gone already|not a notification of hookbell)$/,
      )
      expect(await closedFor(own)).toEqual([])
      await withdraw(own)
    },
  )

  it('works with an old notify-send, but then cannot withdraw the notification', async () => {
    const folder = await makeFolder()
    const script = [
      '#!/bin/sh',
      // Version 0.7.9 fails like this.
      'for one; do case "$one" in --print-id) echo "Unknown option --print-id" >&2; exit 1;; esac; done',
      `exec /usr/bin/notify-send "$@"`,
    ]
    await writeFile(join(folder, 'notify-send'), script.join('\n'), { mode: 0o755 })
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    await screen.caughtUp()
    const count = screen.notices.length
    const sent = await send({ urgency: 'critical', title: 'old' })
    // A question at the end of a turn does not stay on the screen for good.
    await send({ asks: true, title: 'asks' }, { timeoutSeconds: 7 })
    expect(sent).toBe('shown by notify-send, which is too old to withdraw it later')
    await screen.caughtUp()
    expect(screen.notices.slice(count)).toMatchObject([
      { title: 'old', expireMs: 0 },
      { title: 'asks', expireMs: 7000 },
    ])
  })

  it('cannot withdraw a notification if no D-Bus program is installed', async () => {
    const { handle } = await ask('nobody closes it')
    vi.stubEnv('PATH', await makeFolder())
    onTestFinished(() => void vi.unstubAllEnvs())
    await expect(withdraw(handle)).rejects.toMatchObject({ verdict: 'unavailable' })
  })

  it('keeps a notification until it is dismissed with `timeoutSeconds: 0`', async () => {
    expect((await show({}, { timeoutSeconds: 0 })).expireMs).toBe(0)
  })

  it('plays the sound of a kind where the desktop plays none, and shows the message without waiting for its end', async () => {
    const played = await stubPlayer('pw-play')
    const file = join(await makeFolder(), 'ding.oga')
    await writeFile(file, '')
    const sound = { done: file, failed: false }
    for (const kind of ['failed', 'done'] as const) {
      const { hints } = await show({ kind }, { sound })
      expect(Object.keys(hints).filter((name) => name.startsWith('sound'))).toEqual([])
    }
    await expect.poll(played).toBe(`${file}\n`)
  })

  it('shows a message whose sound is missing, or that nothing can play', async () => {
    await show({ kind: 'done' }, { sound: { done: '/no/such.oga' } })
    await show({ kind: 'done' }, { sound: true })
  })

  it('leaves the sound to a desktop that plays sounds', async () => {
    const bare = await startDesktop({ daemon: false })
    onTestFinished(bare.close)
    const stop = await startService(
      String(bare.env.DBUS_SESSION_BUS_ADDRESS),
      'org.freedesktop.Notifications',
      ({ member }) => {
        if (member === 'GetServerInformation') return ['bell', 'x', '1', '1.2'].map(stringOf)
        if (member === 'GetCapabilities') return [{ type: 'as', value: ['body', 'sound'] }]
        return member === 'Notify' ? [{ type: 'u', value: 1 }] : []
      },
    )
    onTestFinished(stop)
    const played = await stubPlayer('pw-play')
    await send({ kind: 'done' }, { sound: true }, bare.env)
    const sound = { done: join(dirname(process.execPath), 'x.oga') }
    await send({ kind: 'done' }, { sound }, bare.env)
    await bare.caughtUp()
    expect(bare.notices.map(({ hints }) => [hints['sound-name'], hints['sound-file']])).toEqual([
      ['message-new-instant', undefined],
      [undefined, sound.done],
    ])
    expect(played()).toBe('')
    // notify-send would refuse this name.
    const odd = join(await makeFolder(), 'a:b.oga')
    await writeFile(odd, '')
    await send({ kind: 'done' }, { sound: { done: odd } }, bare.env)
    await expect.poll(played).toBe(`${odd}\n`)
  })

  it('makes no sound in quiet hours', async () => {
    const played = await stubPlayer('pw-play')
    const file = join(await makeFolder(), 'ding.oga')
    await writeFile(file, '')
    const options = desktop.options.parse({ timeoutSeconds: 1, sound: { done: file } })
    for (const isQuiet of [true, false]) {
      const context = { ...makeContext({ sessionEnv: screen.env }), isQuiet }
      await desktop.send(makeMessage({ kind: 'done', title: `${isQuiet}` }), options, context)
      if (!isQuiet) await expect.poll(played).toBe(`${file}\n`)
      else expect(played()).toBe('')
    }
  })

  it('shows a notification on the desktop of the session, not on that of the worker', async () => {
    const other = await startDesktop()
    onTestFinished(other.close)
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', screen.env.DBUS_SESSION_BUS_ADDRESS)
    onTestFinished(() => void vi.unstubAllEnvs())
    await screen.caughtUp()
    const count = screen.notices.length
    await send({ title: 'over there' }, {}, other.env)
    await other.caughtUp()
    expect(other.notices.map(({ title }) => title)).toEqual(['over there'])
    await screen.caughtUp()
    expect(screen.notices).toHaveLength(count)
  })

  it('finds the bus of the session in its runtime folder', async () => {
    const path = /unix:path=([^,]+)/.exec(screen.env.DBUS_SESSION_BUS_ADDRESS ?? '')?.[1]
    const folder = join(await makeFolder(), 'a runtime, folder')
    await mkdir(folder)
    await symlink(path ?? '', join(folder, 'bus'))
    await screen.caughtUp()
    const count = screen.notices.length
    await send({}, {}, { XDG_RUNTIME_DIR: folder })
    await screen.caughtUp()
    expect(screen.notices).toHaveLength(count + 1)
  })

  it('is unavailable if no daemon on the bus shows notifications', async () => {
    const bare = await startDesktop({ daemon: false })
    onTestFinished(bare.close)
    const error = await failureOf(send({}, {}, bare.env))
    expect(error).toMatchObject({ verdict: 'unavailable', hint: expect.stringContaining('daemon') })
  })

  it('shows plain text as it is on a desktop without markup, but never lets markup hide a part', async () => {
    const plain = await startDesktop({ markup: 'no' })
    onTestFinished(plain.close)
    const bodyOf = async (body: string) => {
      await send({ body }, {}, plain.env)
      await plain.caughtUp()
      return plain.notices.at(-1)?.body.split('\n')[0]
    }
    expect(await bodyOf('npm test && a > b & c \\n')).toBe('npm test && a > b & c \\n')
    // Some desktops interpret markup although they say that they do not.
    expect(await bodyOf('rm <!-- x -->&#8238;&lt;')).toBe('rm &lt;!-- x -->&amp;#8238;&amp;lt;')
  })

  it('asks for a retry while the daemon hangs, without a notification for each attempt', async () => {
    const hung = await startDesktop()
    onTestFinished(hung.close)
    hung.daemon?.kill('SIGSTOP')
    expect(await failureOf(send({}, {}, hung.env))).toMatchObject({
      verdict: 'retry',
      message: 'desktop: the notification daemon does not answer',
    })
    await hung.caughtUp()
    expect(hung.notices).toEqual([])
  })

  it('draws each text on the screen', async () => {
    const drawn = await startDesktop()
    onTestFinished(drawn.close)
    for (const text of oddTexts) {
      await send({ title: text, body: `${text}\nsecond line` }, { timeoutSeconds: 60 }, drawn.env)
    }
    await drawn.caughtUp()
    expect(drawn.notices).toHaveLength(oddTexts.length)
    await drawn.screenshot('.artifacts/desktop.png')
  })
})
