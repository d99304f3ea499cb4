import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { handle } from '../src/handle.ts'
import { defineNotifier } from '../src/notifiers/define.ts'
import { type RulesOptions, readRules } from '../src/stages.ts'
import { tsc } from './support/compiler.ts'
import { root } from './support/home.ts'
import { packPackage } from './support/packed.ts'
import { startReceiver } from './support/receiver.ts'

const work = mkdtempSync(join(tmpdir(), 'hookbell-library-'))
const programs = ['notifier-in-a-process', 'slack-from-a-loop', 'test-my-rules']

/** As a stranger would set it up: the packed package, and the strictest settings. */
beforeAll(async () => {
  const { tarball } = await packPackage()
  await execa('tar', ['-xf', tarball, '-C', work])
  mkdirSync(join(work, 'node_modules/@types'), { recursive: true })
  cpSync(join(work, 'package'), join(work, 'node_modules/hookbell'), { recursive: true })
  for (const name of ['zod', '@types/node'])
    symlinkSync(join(root, 'node_modules', name), join(work, 'node_modules', name))
  const compilerOptions = {
    ...{ target: 'es2023', lib: ['es2024'], module: 'nodenext', types: ['node'], outDir: 'out' },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  }
  for (const name of programs)
    cpSync(join(work, `package/examples/${name}.ts`), join(work, `${name}.ts`))
  writeFileSync(join(work, 'package.json'), '{ "private": true, "type": "module" }')
  writeFileSync(join(work, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
})
afterAll(() => rmSync(work, { recursive: true, force: true }))

const run = (words: readonly string[], env: Record<string, string> = {}, input = '') => {
  const home = join(work, 'home')
  const all = { PATH: process.env.PATH, HOME: home, ...env }
  return execa(process.execPath, words, {
    cwd: work,
    env: all,
    extendEnv: false,
    input,
    reject: false,
  })
}

describe('the programs of a stranger, with the packed package', () => {
  it('compile under the strictest settings', async () => {
    const { stdout } = await run([...tsc, '-p', work])
    expect(stdout).toBe('')
  })

  it('send by a notifier of their own, and try again what failed', async () => {
    const { url, received } = await startReceiver({ script: [500, 200] })
    const folder = join(work, 'pager')
    mkdirSync(folder)
    const config = {
      channels: { me: { type: 'pager', url, number: '17' } },
      retry: { firstDelaySeconds: 0.001, maxDelaySeconds: 0.001 },
    }
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
    const payload = (session_id: string) =>
      JSON.stringify({
        hook_event_name: 'Notification',
        message: 'needs your permission',
        session_id,
        cwd: '/shop',
      })
    const program = ['out/notifier-in-a-process.js', folder]
    expect((await run(program, {}, payload('a'))).stdout).toBe('1 handled')
    expect(await run(program, {}, payload('b'))).toMatchObject({ stderr: '', exitCode: 0 })
    const bodies = received.map(({ body }) => JSON.parse(body))
    expect(bodies.length).toBeGreaterThanOrEqual(2)
    expect(bodies[0]).toMatchObject({ number: '17', text: 'shop: permission needed' })
  })

  it('tell Slack from an agent loop', async () => {
    const { url, received } = await startReceiver({ script: [{ status: 200, body: 'ok' }] })
    const env = { SLACK_WEBHOOK_URL: `${url}/services/a` }
    const { stdout, stderr } = await run(['out/slack-from-a-loop.js'], env)
    expect(stderr).toBe('')
    expect(stdout).toMatch(/team: .*permission needed: delivered/)
    expect(stdout).toMatch(/team: not told: .*/)
    expect(received).toHaveLength(1)
  })

  it('test their own rules', async () => {
    const { exitCode, stdout } = await run(['--test', 'out/test-my-rules.js'])
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
  })
})

describe('handle', () => {
  const sent: string[] = []
  const ring = defineNotifier({
    name: 'ring',
    title: 'Ring',
    options: z.strictObject({
      tone: z.enum(['C', 'D']),
      token: z.string().optional().meta({ secret: true }),
    }),
    async send({ title }, { tone, token = '' }) {
      if (tone === 'D') throw new Error(`broken ${token}`)
      sent.push(title)
      return 'rang'
    },
  })
  const stop = {
    hook_event_name: 'Stop',
    session_id: 's',
    cwd: '/home/me/shop',
    last_assistant_message: 'Done',
  }
  const withChannels = (channels: object): RulesOptions => ({
    config: { channels },
    notifiers: [ring],
  })

  it('sends by a notifier of the caller; one that fails stops no other', async () => {
    const options = withChannels({
      bad: { type: 'ring', tone: 'D' },
      good: { type: 'ring', tone: 'C' },
    })
    const { messages } = await handle(stop, options)
    expect(messages).toMatchObject([
      { channel: 'bad', state: 'failed', why: 'broken ' },
      {
        channel: 'good',
        state: 'delivered',
        answer: 'rang',
        message: { title: 'shop: done', body: 'Done' },
      },
    ])
    expect(sent).toEqual(['shop: done'])
  })

  it('sends nothing if it must not, and says what the rules suppress or hold', async () => {
    const rules = readRules(withChannels({ good: { type: 'ring', tone: 'C' } }))
    const at = (second: number) => new Date(`2026-11-20T09:00:${String(second).padStart(2, '0')}Z`)
    await handle(
      { ...stop, hook_event_name: 'UserPromptSubmit' },
      { rules, at: at(0), client: 'claude' },
    )
    const short = await handle(stop, { rules, at: at(5), client: 'claude' })
    expect(short).toMatchObject({ messages: [], suppressed: [{ channel: 'good' }] })
    const { messages } = await handle({ ...stop, session_id: 'other' }, { rules, sends: false })
    expect(messages).toMatchObject([{ state: 'not sent' }])
    expect(sent).toHaveLength(1)
  })

  it.each([
    [{ type: 'ring', tone: 'E' }, /channels\.good\.tone: must be "C" or "D", not "E"/],
    [{ type: 'ring', tone: 'C', tune: 1 }, /channels\.good\.tune: unknown key/],
    [{ type: 'ringg', tone: 'C' }, /channels\.good\.type: unknown type "ringg"/],
  ])('refuses the channel %j', async (channel, message) => {
    await expect(handle(stop, withChannels({ good: channel }))).rejects.toThrow(message)
  })

  it('fails for a channel whose secret is not given, and uses one that is', async () => {
    const options = withChannels({ good: { type: 'ring', tone: 'D', token: '${TOKEN}' } })
    expect((await handle(stop, options)).messages).toMatchObject([
      { state: 'failed', why: '${TOKEN} not set' },
    ])
    const { messages } = await handle(stop, { ...options, secrets: { TOKEN: 'x1' } })
    expect(messages).toMatchObject([{ why: 'broken x1' }])
  })

  it('keeps the secrets of a notifier of the caller out of texts', async () => {
    const token = 'Kanarie4711'
    const options = withChannels({ good: { type: 'ring', tone: 'C', token } })
    const { messages } = await handle(
      { ...stop, last_assistant_message: `It is ${token}` },
      options,
    )
    expect(messages[0]?.message.body).toBe('It is [redacted]')
  })

  it('refuses two notifiers of a name', async () => {
    await expect(handle(stop, { notifiers: [ring, ring] })).rejects.toThrow(
      'there are two with the name "ring"',
    )
    const other = { ...ring, name: 'slack' }
    await expect(handle(stop, { notifiers: [other] })).rejects.toThrow('"slack"')
  })

  it('has its programs in the documentation', () => {
    const page = readFileSync(join(root, 'docs/library.md'), 'utf8')
    for (const name of programs) expect(page).toContain(`../examples/${name}.ts`)
  })
})
