import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { module } from '../../src/notifiers/module.ts'
import { makeFolder } from '../support/folder.ts'
import { makeHome, root } from '../support/home.ts'
import { startReceiver } from '../support/receiver.ts'
import { STRANGER } from '../support/stranger.ts'
import { allTextOf, answerOf, failureOf, makeContext, makeMessage, testNotifier } from './_suite.ts'

/** A notifier with this `send`, and what else it declares. */
const notifierOf = (send: string, more = '') => `
  import { appendFileSync, writeFileSync, writeSync } from 'node:fs'
  import { DeliveryError, defineNotifier } from 'hookbell'
  import * as z from 'zod'
  export default defineNotifier({
    name: 'ring', title: 'Ring', options: z.strictObject({ tone: z.enum(['C', 'D']).default('C'), file: z.string().optional() }),
    async send(message, options, context) { ${send} }, ${more}
  })`

async function make(source: string) {
  const file = join(await makeFolder(), 'ring.mjs')
  writeFileSync(file, source, { mode: 0o644 })
  const channel = (options: object = {}) => module.options.parse({ file, options })
  const send = (options?: object, fields = {}, context = {}) =>
    module.send(makeMessage(fields), channel(options), makeContext(context))
  return { file, channel, send }
}

describe('notifiers: module', () => {
  testNotifier({
    notifier: module,
    accept: async () => {
      const { file } = await make(
        notifierOf(`writeFileSync(options.file, message.title + '\\n' + message.body)`),
      )
      const told = `${file}.told`
      return {
        options: { file, options: { file: told } },
        arrived: async () => readFileSync(told, 'utf8'),
      }
    },
  })

  it('gets its options with their defaults, the message and the attempt', async () => {
    const { send } = await make(
      notifierOf(
        `return [options.tone, message.kind, context.attempt, context.signal.aborted].join()`,
      ),
    )
    expect(answerOf(await send({}, {}, { attempt: 3 }))).toBe('C,permission,3,false')
  })

  it.each(['', 'return { anser: "x" }', 'return 7'])(
    'has sent what it returned from: %s',
    async (code) => {
      const { send } = await make(notifierOf(code))
      expect(answerOf(await send())).toBe('sent')
    },
  )

  it('may print, start timers and leave a connection open', async () => {
    const { send } = await make(
      notifierOf(`console.log('{"value":"no"}'); setInterval(() => {}, 1000); return 'rang'`),
    )
    expect(answerOf(await send())).toBe('rang')
  })

  it.each([
    ['throw new Error("busy")', { verdict: 'retry', message: 'ring.mjs: busy' }],
    [
      'throw new DeliveryError("give-up", "gone", { hint: "Look", isChannelDead: true })',
      { verdict: 'give-up', message: 'ring.mjs: gone', hint: 'Look', isChannelDead: true },
    ],
    [
      'throw new DeliveryError("retry", "slow down", { retryAfterMs: 7000 })',
      { verdict: 'retry', retryAfterMs: 7000 },
    ],
    ['throw null', { verdict: 'retry', message: 'ring.mjs: null' }],
    ['process.exit(3)', { verdict: 'retry', message: 'ring.mjs: its process ended with status 3' }],
    [
      'process.kill(process.pid, "SIGKILL")',
      { verdict: 'retry', message: 'ring.mjs: its process ended by SIGKILL' },
    ],
    [
      'await new Promise((_, fail) => setTimeout(() => { throw new TypeError("late") }, 1))',
      { verdict: 'retry', message: 'ring.mjs: its process ended with status 1: TypeError: late' },
    ],
  ])('reports what went wrong in %s', async (code, expected) => {
    const { send } = await make(notifierOf(code))
    expect(await failureOf(send())).toMatchObject(expected)
  })

  it.each([
    ['throw new Error("no driver")', 'it cannot be loaded: no driver'],
    ['import "not-there"', "it cannot be loaded: Cannot find package 'not-there'"],
    ['const = 1', 'it cannot be loaded: '],
    ['export const send = 1', 'its default export must be what defineNotifier returns'],
    ['export default { send: 1 }', 'it has no function send'],
    ['export default { send() {}, options: {} }', 'its options must be z.strictObject({ ... })'],
    [notifierOf('', 'compose: 1'), 'compose must be a function'],
    [notifierOf('', 'pace: {}'), 'pace cannot be set here, only name, title, options, send, '],
  ])('gives up, and says why, on %s', async (source, message) => {
    const { send } = await make(source)
    const failure = await failureOf(send())
    expect(failure).toMatchObject({ verdict: 'give-up', isChannelDead: true })
    expect(failure.message).toContain(`ring.mjs: ${message}`)
  })

  it('validates its options', async () => {
    const { send } = await make(notifierOf(''))
    for (const [options, text] of [
      [{ tone: 'E' }, 'options: tone: '],
      [{ tune: 1 }, 'options: Unrecognized key: "tune"'],
    ] as const)
      expect((await failureOf(send(options))).message).toContain(`ring.mjs: ${text}`)
  })

  it.each(['for (;;);', 'await new Promise((resolve) => setTimeout(resolve, 1e8))'])(
    'is ended at the deadline in %s, at import and in send',
    async (code) => {
      for (const source of [code, notifierOf(code)]) {
        const { send, file } = await make(
          `import { writeFileSync as note } from 'node:fs'; note(${JSON.stringify(`${await makeFolder()}/x`)}, '')\n${source}`,
        )
        expect(existsSync(file)).toBe(true)
        const failure = await failureOf(send({}, {}, { signal: AbortSignal.timeout(1000) }))
        expect(failure).toMatchObject({ verdict: 'retry' })
        expect(failure.message).toContain('ring.mjs: send was ended: it did not return')
      }
    },
  )

  it('keeps the texts in its options out of errors and answers', async () => {
    const file = 'hidden-word-17'
    for (const code of [
      'throw new Error(options.file)',
      'throw new DeliveryError("give-up", options.file, { hint: options.file })',
      'setTimeout(() => { throw new Error(options.file) }); await new Promise(() => {})',
    ]) {
      const { send } = await make(notifierOf(code))
      expect(allTextOf(await failureOf(send({ file })))).not.toContain(file)
    }
    const { send } = await make(notifierOf('return options.file'))
    expect(answerOf(await send({ file }))).not.toContain(file)
  })

  it('gets no variable of the session', async () => {
    const { send } = await make(notifierOf(`return Object.keys(process.env).sort().join(' ')`))
    const names = answerOf(await send()).split(' ')
    expect(names).not.toContain('NODE_OPTIONS')
    expect(
      names.filter((name) => !/^(HOME|LANG|LOGNAME|PATH|USER|XDG_RUNTIME_DIR)$/.test(name)),
    ).toEqual([])
  })

  it('withdraws and updates a message by its handle', async () => {
    const { channel, send } = await make(
      notifierOf(
        `return { answer: 'shown', handle: 'h1' }`,
        `async withdraw(handle) { return 'took ' + handle }, async update(handle, message) { return handle + message.title }`,
      ),
    )
    expect(await send()).toEqual({ answer: 'shown', handle: 'h1' })
    expect(await module.withdraw?.('h1', channel(), makeContext())).toBe('took h1')
    expect(await module.update?.('h1', makeMessage({ title: 'T' }), channel(), makeContext())).toBe(
      'h1T',
    )
  })

  it('is shown by its own compose, or as the message', async () => {
    const own = await make(notifierOf('', `compose: ({ title }) => ({ body: title + '!' })`))
    expect(
      await module.compose?.(makeMessage({ title: 'T' }), own.channel(), makeContext()),
    ).toEqual({ body: 'T!' })
    const other = await make(notifierOf(''))
    expect(
      await module.compose?.(makeMessage({ title: 'T' }), other.channel(), makeContext()),
    ).toMatchObject({ body: { title: 'T' } })
  })

  it.skipIf(process.platform === 'win32')(
    'is not run if others could have written it',
    async () => {
      const { file, send } = await make(notifierOf(`return 'ran'`))
      chmodSync(file, 0o666)
      expect(await failureOf(send())).toMatchObject({
        verdict: 'give-up',
        message: expect.stringContaining('other users can change it'),
        hint: expect.stringContaining('chmod go-w'),
      })
      chmodSync(file, 0o644)
      chmodSync(join(file, '..'), 0o777)
      expect((await failureOf(send())).message).toContain('other users can change it')
      chmodSync(join(file, '..'), 0o755)
      expect(answerOf(await send())).toBe('ran')
    },
  )

  it.skipIf(process.platform === 'win32')(
    'is not run through a link into a folder that others can write',
    async () => {
      const { file } = await make(notifierOf(`return 'ran'`))
      const link = join(await makeFolder(), 'link.mjs')
      symlinkSync(file, link)
      const send = () =>
        module.send(makeMessage(), module.options.parse({ file: link }), makeContext())
      expect(answerOf(await send())).toBe('ran')
      chmodSync(join(file, '..'), 0o777)
      expect((await failureOf(send())).message).toContain('other users can change it')
    },
  )

  it.runIf(process.getuid?.() === 0)('is not run if it belongs to somebody else', async () => {
    const { file, send } = await make(notifierOf(`return 'ran'`))
    chownSync(file, STRANGER, STRANGER)
    expect((await failureOf(send())).message).toContain('belongs to another user')
  })

  it('says that there is no file', async () => {
    const failing = module.send(
      makeMessage(),
      module.options.parse({ file: '/nowhere/x.mjs' }),
      makeContext(),
    )
    expect(await failureOf(failing)).toMatchObject({
      verdict: 'give-up',
      message: 'x.mjs: there is no file /nowhere/x.mjs',
    })
  })
})

describe('a channel with a notifier of the user', () => {
  const channels = (more = {}) => ({
    log: { type: 'file', path: '~/log.jsonl' },
    own: { type: './ring.mjs', tone: 'D', ...more },
  })
  const makeOwn = async (source: string, more = {}) => {
    const home = await makeHome({
      channels: channels(more),
      routes: [{ on: ['*'], to: ['log', 'own'] }],
    })
    writeFileSync(join(home.env.HOOKBELL_CONFIG_DIR, 'ring.mjs'), source, { mode: 0o644 })
    return home
  }

  it('works in test, preview, doctor and config check', async () => {
    const home = await makeOwn(notifierOf(`return 'rang ' + options.tone`))
    expect(await home.run('test', 'own')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('rang D'),
    })
    const { stdout: preview } = await home.run('preview', 'done', '--channel', 'own')
    expect(JSON.parse(preview)).toMatchObject({ kind: 'done' })
    expect(await home.run('config', 'check')).toMatchObject({ exitCode: 0 })
    const { stdout: checks } = await home.run('doctor', '--json', '--offline')
    const own = JSON.parse(checks).checks.filter(
      ({ id }: { id: string }) => id === 'channel.own.module',
    )
    expect(own).toMatchObject([{ status: 'ok' }])
  })

  it('reports a wrong option in doctor and config check', async () => {
    const home = await makeOwn(notifierOf(''), { tone: 'X' })
    expect((await home.run('config', 'check')).stdout).toContain(
      'channel own: ring.mjs: options: tone: ',
    )
    const { stdout } = await home.run('doctor', '--offline')
    expect(stdout).toContain('channel.own.module: ring.mjs: options: tone: ')
  })

  it.each([
    ['it throws while it is loaded', 'throw new Error("no driver")', 'no driver', 600],
    ['it ends its process', notifierOf('process.exit(0)'), 'its process ended with status 0', 600],
    ['it never returns', notifierOf('for (;;);'), 'it did not return within 1 s', 1],
  ])('stops nobody else if %s', async (_, source, reason, deliveryTimeoutSeconds) => {
    const home = await makeOwn(source)
    await home.writeConfig(
      JSON.stringify({
        channels: channels(),
        routes: [{ on: ['*'], to: ['own', 'log'] }],
        deliveryTimeoutSeconds,
      }),
    )
    const id = home.accept({ hook_event_name: 'Notification', message: 'hello', session_id: 's' })
    await home.run('worker', '--once')
    expect(readFileSync(join(home.home, 'log.jsonl'), 'utf8')).toContain(id)
    const { stdout } = await home.run('log', id, '--json')
    expect(stdout).toContain(reason)
  })

  it('cannot come from the file of a project', async () => {
    const home = await makeOwn(notifierOf(`writeFileSync(options.file, 'ran')`), { file: 'never' })
    writeFileSync(
      join(home.project, '.hookbell.json'),
      JSON.stringify({ channels: { own: { type: './evil.mjs' } } }),
    )
    writeFileSync(
      join(home.project, 'evil.mjs'),
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(join(home.home, 'evil'))}, '')`,
    )
    home.accept({ hook_event_name: 'Stop', session_id: 's', cwd: home.project })
    await home.run('worker', '--once')
    expect(existsSync(join(home.home, 'evil'))).toBe(false)
  })

  it('is hidden where settings are shown or kept', async () => {
    const home = await makeOwn(notifierOf(''), { file: 'hidden-word-17' })
    await home.run('status')
    expect((await home.run('config')).stdout).not.toContain('hidden-word')
    const kept = home.read('state/last-good-config.json')
    expect(kept).not.toContain('hidden-word')
    expect(JSON.parse(kept).channels.own.type).toBe(join(home.env.HOOKBELL_CONFIG_DIR, 'ring.mjs'))
  })

  it('needs a folder in its type', async () => {
    const home = await makeHome({ channels: { own: { type: 'ring.mjs' } } })
    const { stderr } = await home.run('config', 'check')
    expect(stderr).toContain('Write a notifier of your own with its folder: "./ring.mjs"')
  })
})

describe('the notifier in the documentation', () => {
  it('is run by the three steps', async () => {
    const page = readFileSync(join(root, 'docs/own-notifier.md'), 'utf8')
    const [, code = ''] = /```js\n([\s\S]*?) {3}```/.exec(page) ?? []
    const [, config = ''] = /```jsonc\n([\s\S]*?) {3}```/.exec(page) ?? []
    const home = await makeHome()
    const file = join(home.home, 'rings.txt')
    await home.writeConfig(config.replace('/tmp/rings.txt', file))
    writeFileSync(join(home.env.HOOKBELL_CONFIG_DIR, 'ring.mjs'), code, { mode: 0o644 })
    expect(await home.run('test', 'ring')).toMatchObject({ exitCode: 0 })
    expect(readFileSync(file, 'utf8')).toContain('hookbell works')
  })
})

describe('the example of a notifier for Matrix', () => {
  it('sends a message to the room', async () => {
    const { url, received } = await startReceiver({
      script: [{ status: 200, body: '{"event_id":"$1"}' }, 403],
    })
    const home = await makeHome({
      channels: {
        room: {
          type: './own/matrix-notifier.mjs',
          server: url,
          room: '!a:b',
          token: 'canary-5ecret',
        },
      },
    })
    const folder = join(home.env.HOOKBELL_CONFIG_DIR, 'own')
    mkdirSync(folder, { mode: 0o755 })
    writeFileSync(
      join(folder, 'matrix-notifier.mjs'),
      readFileSync(join(root, 'examples/matrix-notifier.mjs')),
      { mode: 0o644 },
    )
    expect(await home.run('test', 'room')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('accepted'),
    })
    expect(received[0]).toMatchObject({
      method: 'PUT',
      headers: { authorization: 'Bearer canary-5ecret' },
    })
    expect(received[0]?.path).toMatch(
      /^\/_matrix\/client\/v3\/rooms\/!a%3Ab\/send\/m\.room\.message\/./,
    )
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ msgtype: 'm.text' })
    expect((await home.run('test', 'room')).stderr).toContain('refuses the token or the room (403)')
  })
})
