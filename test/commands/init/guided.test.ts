import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { channelOffers } from '../../../src/commands/init/channel-offers.ts'
import { makeFolder } from '../../support/folder.ts'
import { type Home, makeHome, root } from '../../support/home.ts'
import { hasPty, startPty } from '../../support/pty.ts'
import { shellQuote } from '../../support/shell-quote.ts'

const [DOWN, SPACE, ENTER] = ['\u001b[B', ' ', '\r']
const CTRL_C = '\u0003'

/** The types of channels in their order on the screen. */
const offered = Object.keys(channelOffers).filter((type) => type !== 'desktop')

/** The keys that tick these types, from the first one on. */
const tick = (types: readonly string[]) =>
  offered.map((type) => (types.includes(type) ? SPACE : '')).join(DOWN)

const overSsh = { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }

/** A user at a terminal, in a home with droid. Over SSH no desktop is offered. */
async function startInit(session: Record<string, string> = overSsh, prepare = (_: Home) => {}) {
  const home = await makeHome()
  mkdirSync(join(home.home, '.factory'))
  prepare(home)
  const program = [process.execPath, join(root, 'bin/hookbell'), 'init'].map(shellQuote).join(' ')
  const env = { ...(home.env as Record<string, string>), ...session }
  const line = `stty echo cols 200 rows 50; ${program}; echo "ended with $?"; sleep 1000`
  const { type, received } = await startPty({ command: `sh -c ${shellQuote(line)}`, env })
  const wait = (text: string | RegExp) => expect.poll(() => received()).toMatch(text)
  return { home, type, received, wait }
}

describe.skipIf(!hasPty)('init on a terminal', () => {
  it('asks, writes, tests the registered command, and asks whether the test message was seen', async () => {
    const { home, type, received, wait } = await startInit()
    await wait('Which agents')
    type(ENTER)
    await wait('For which projects')
    type(ENTER)
    await wait('How do you want to be told')
    expect(received()).not.toContain('Desktop notification')
    type(ENTER)
    await wait(/settings\.json: \d hooks for Factory droid[\s\S]*Write this\?/)
    type(ENTER)
    await wait(/ok.* droid: the registered command: \d+ ms, silent, exit 0/)
    await wait('did you see the test message')
    expect(received()).toContain('\u0007')
    type('y')
    await wait('ended with 0')
    const config = readFileSync(join(home.home, 'config/config.json'), 'utf8')
    expect(JSON.parse(config)).toEqual({ channels: { terminal: { type: 'terminal' } } })
    expect(readFileSync(join(home.home, '.factory/settings.json'), 'utf8')).toContain(
      'hookbell-hook',
    )
  })

  it('offers the desktop if the session has a display and a bus, also in a container', async () => {
    const runtime = await makeFolder()
    const server = createServer().listen(join(runtime, 'bus'))
    onTestFinished(() => void server.close())
    const { type, wait } = await startInit({ DISPLAY: ':0', XDG_RUNTIME_DIR: runtime })
    await wait('Which agents')
    type(ENTER)
    await wait('For which projects')
    type(ENTER)
    await wait(/How do you want to be told[\s\S]*◼.*Desktop notification/)
  })

  it('ignores keys that were typed before a question was shown', async () => {
    const { type, wait } = await startInit()
    for (const question of ['Which agents', 'For which projects', 'How do you want to be told']) {
      await wait(question)
      type(ENTER)
    }
    await wait('Write this?')
    type(ENTER)
    // init now waits until the client would have restored its settings, and then sends the test message.
    await wait(/Wrote .*config\.json/)
    type(`${ENTER}n`)
    await wait('did you see the test message')
    type(ENTER)
    await wait('ended with 0')
  })

  it('shows no secret and writes nothing after the answer no', async () => {
    const { home, type, received, wait } = await startInit()
    await wait('Which agents')
    type(ENTER)
    await wait('For which projects')
    type(ENTER)
    await wait('How do you want to be told')
    type(tick(['ntfy']) + ENTER)
    await wait('Phone, through ntfy: Topic')
    type(`${DOWN}${ENTER}`)
    await wait(/Name or address of the topic \(hidden\)/)
    type(`https://ntfy.sh/my-secret-topic${ENTER}`)
    await wait('••••')
    await wait(/secrets\.env: NTFY_TOPIC[\s\S]*Write this\?/)
    type(`n${ENTER}`)
    await wait('Nothing was written')
    await wait('ended with 0')
    expect(received()).not.toContain('my-secret')
    expect(existsSync(join(home.home, '.factory/settings.json'))).toBe(false)
    expect(existsSync(join(home.home, 'config/secrets.env'))).toBe(false)
  })

  it('says what is wrong with a URL, and takes http:// for this machine', async () => {
    const { type, received, wait } = await startInit()
    await wait('Which agents')
    type(ENTER)
    await wait('For which projects')
    type(ENTER)
    await wait('How do you want to be told')
    type(tick(['email', 'webhook']) + ENTER)
    await wait('Mail: Sent by')
    type(ENTER)
    await wait('Mail: Your address there')
    type(`me${ENTER}`)
    await wait('An address, such as me@example.com')
    type(`@example.com${ENTER}`)
    await wait('App password, not that of the account (hidden)')
    type(`my-password${ENTER}`)
    await wait('Mail: From')
    type(ENTER)
    await wait('Mail: To, several with commas')
    type(`, Lovelace, Ada <ada@example.org>${ENTER}`)
    await wait('Webhook: URL to post to')
    type(`http://example.com/x${ENTER}`)
    await wait('It begins with https:// (http:// only on this machine)')
    type(`http://localhost:9099/x${ENTER}`)
    await wait(/secrets\.env: SMTP_PASSWORD, WEBHOOK_URL[\s\S]*Write this\?/)
    type(`n${ENTER}`)
    await wait('ended with 0')
    expect(received()).not.toContain('my-password')
  })

  it('says at the list of agents which settings cannot be changed, and goes on without', async () => {
    const { home, type, received, wait } = await startInit(overSsh, ({ home }) => {
      mkdirSync(join(home, '.claude'))
      writeFileSync(join(home, '.claude/settings.json'), '{ "hooks": [')
    })
    await wait('Which agents')
    expect(received()).toMatch(/Claude Code is left out: .*settings\.json:1:\d+/)
    type(ENTER)
    for (const question of ['For which projects', 'How do you want to be told']) {
      await wait(question)
      type(ENTER)
    }
    await wait('Write this?')
    type(ENTER)
    await wait('did you see the test message')
    type('y')
    await wait('ended with 0')
    expect(existsSync(join(home.home, '.factory/settings.json'))).toBe(true)
    expect(readFileSync(join(home.home, '.claude/settings.json'), 'utf8')).toBe('{ "hooks": [')
  })

  it('asks nothing if no settings can be changed', async () => {
    const { received, wait } = await startInit(overSsh, ({ home }) =>
      writeFileSync(join(home, '.factory/settings.json'), '{ "hooks": ['),
    )
    await wait(/settings\.json:1:\d+/)
    await wait(/ended with [1-9]/)
    expect(received()).not.toContain('Which agents')
  })

  it('says once, at the end, what is left to do', async () => {
    const { type, received, wait } = await startInit()
    for (const question of ['Which agents', 'For which projects', 'How do you want to be told']) {
      await wait(question)
      type(ENTER)
    }
    await wait('Write this?')
    type(ENTER)
    await wait('did you see the test message')
    type('n')
    await wait('ended with 1')
    const [before = '', after = '', ...more] = received().split('What now:')
    expect(more).toEqual([])
    expect(before).not.toMatch(/Next:|restart running sessions|hookbell doctor/)
    expect(after).toMatch(
      /- restart running sessions.*\s+- .*hookbell doctor.*\s+- .*hookbell test terminal/,
    )
  })

  it('stops on Ctrl+C, says that nothing was changed, and exits with 130', async () => {
    const { home, type, wait } = await startInit()
    await wait('Which agents')
    type(CTRL_C)
    await wait('stopped: nothing was changed')
    await wait('ended with 130')
    expect(existsSync(join(home.home, '.factory/settings.json'))).toBe(false)
  })

  it('stops on Ctrl+C at its last question too', async () => {
    const { home, type, wait } = await startInit()
    for (const question of ['Which agents', 'For which projects', 'How do you want to be told']) {
      await wait(question)
      type(ENTER)
    }
    await wait('Write this?')
    type(CTRL_C)
    await wait('stopped: nothing was changed')
    await wait('ended with 130')
    expect(existsSync(join(home.home, '.factory/settings.json'))).toBe(false)
  })
})

describe('init --private', () => {
  it('writes the own front door into the settings of this project for this user, and uninstall removes it', async () => {
    const home = await makeHome()
    const file = join(home.project, '.claude/settings.local.json')
    mkdirSync(join(home.home, '.claude'))
    mkdirSync(join(home.project, '.claude'))
    writeFileSync(file, '{ "model": "opus" }\n')
    const first = await home.run('init', '--client', 'claude', '--private', '--yes')
    expect(first).toMatchObject({ exitCode: 0 })
    expect(first.stdout).toContain('git must ignore it')
    const text = readFileSync(file, 'utf8')
    expect(text).toContain(join(home.state, 'hookbell-hook'))
    expect(existsSync(join(home.project, '.claude/settings.json'))).toBe(false)
    // Another init renews it as what it is.
    await home.run('init', '--client', 'claude', '--user', '--yes')
    expect(readFileSync(file, 'utf8')).toBe(text)
    expect(await home.run('uninstall', '--yes')).toMatchObject({ exitCode: 0 })
    expect(readFileSync(file, 'utf8')).toBe('{ "model": "opus" }\n')
  })
})
