import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { root } from '../support/home.ts'
import { ask, bash, decisionOf, PATIENCE, waitForOpen } from './_answers.ts'
import {
  button,
  CHAT,
  codeOf,
  formOf,
  isKept,
  journalOf,
  judged,
  ME,
  makePairedPhone,
  makePhone,
  type Phone,
  pair,
  STRANGER,
} from './_phone.ts'

const questions = [
  {
    question: 'Which database?',
    header: 'DB',
    options: [{ label: 'SQLite', description: 'a file' }, { label: 'Postgres' }],
  },
  {
    question: 'Which tests?',
    multiSelect: true,
    options: [{ label: 'unit' }, { label: 'end, to end' }, { label: 'load' }],
  },
]
const choices = (count: number) => ({
  tool_name: 'AskUserQuestion',
  tool_input: { questions: questions.slice(0, count) },
})
const edit = {
  tool_name: 'Edit',
  tool_input: { file_path: 'a.ts', old_string: 'a', new_string: 'b() {}' },
}
const plan = { tool_name: 'ExitPlanMode', tool_input: { plan: '1. Delete all' } }

describe('an answer by Telegram', () => {
  it('allows a command, and the message says what became of it', async () => {
    const phone = await makePairedPhone()
    const asked = ask(phone, bash('make all'))
    const form = await formOf(phone, 'Bash: make all')
    expect(form).toMatchObject({ chat: CHAT, text: expect.stringContaining(phone.project) })
    expect(form.buttons.map(({ text }) => text)).toEqual(['Allow', 'Deny'])
    const press = phone.telegram.press(button(form, 'Allow'), form, ME)
    expect(await decisionOf(asked)).toEqual({ behavior: 'allow' })
    await expect.poll(() => form.text, PATIENCE).toMatch(/allowed from Telegram, \d\d:\d\d/)
    expect(form.buttons).toEqual([])
    const told = () => phone.telegram.told.find(({ to }) => to === press)?.text
    await expect.poll(told, PATIENCE).toMatch(/^allowed, \d\d:\d\d$/)
    // Also what came last, although nobody listens any more: the next reader must not get it again.
    await judged(phone)
    const { stdout } = await phone.run('why')
    expect(stdout).toMatch(
      new RegExp(`answer .*allowed, from telegram ${ME} by the channel phone$`, 'm'),
    )
    expect(stdout).toMatch(/phone .*withdrawn: says: allowed from Telegram/)
    expect(journalOf(phone, 'answered')).toMatchObject([
      { how: 'hookbell', place: 'telegram', channel: 'phone', person: `${ME}`, answer: 'allowed' },
    ])
    const { places } = JSON.parse((await phone.run('report', '--json')).stdout)
    expect(places).toEqual([{ name: 'telegram', count: 1 }])
  })

  it('denies with a button, or with a reply as the reason', async () => {
    const phone = await makePairedPhone()
    const asked = ['a', 'b'].map((name) => ask(phone, bash(`make ${name}`, { session_id: name })))
    const [one, other] = [await formOf(phone, 'make a'), await formOf(phone, 'make b')]
    phone.telegram.press(button(one, 'Deny'), one, ME)
    reply(phone, other, 'Use the test\ndatabase')
    expect(await Promise.all(asked.map(decisionOf))).toEqual([
      { behavior: 'deny', message: 'The person denied this.' },
      { behavior: 'deny', message: 'Use the test\ndatabase' },
    ])
    await expect.poll(() => other.text, PATIENCE).toContain('denied from Telegram')
    expect(other.text).not.toContain('database')
  })

  it.each<[string, number, (phone: Phone, form: Form) => void, unknown]>([
    [
      'one press',
      1,
      (phone, form) => press(phone, form, 'Postgres'),
      { 'Which database?': 'Postgres' },
    ],
    ['a number', 1, (phone, form) => reply(phone, form, '1'), { 'Which database?': 'SQLite' }],
    [
      'numbers',
      2,
      (phone, form) => reply(phone, form, '2; 1,3'),
      { 'Which database?': 'Postgres', 'Which tests?': 'unit, load' },
    ],
    [
      'several presses',
      2,
      (phone, form) => {
        for (const label of ['2: load', '1: SQLite', '2: unit', '2: load', '1: Postgres', 'Send'])
          press(phone, form, label)
      },
      { 'Which database?': 'Postgres', 'Which tests?': 'unit' },
    ],
  ])('chooses with %s', async (_, count, choose, answers) => {
    const phone = await makePairedPhone()
    const asked = ask(phone, choices(count))
    const form = await formOf(phone, '1. SQLite: a file')
    choose(phone, { ...form, buttons: [...form.buttons] })
    expect(await decisionOf(asked)).toEqual({
      behavior: 'allow',
      updatedInput: { questions: questions.slice(0, count), answers },
    })
    await expect.poll(() => form.text, PATIENCE).toContain('chosen from Telegram')
  })

  it('gives the agent an answer in other words', async () => {
    const phone = await makePairedPhone()
    const asked = ask(phone, choices(1))
    const form = await formOf(phone, 'Which database')
    reply(phone, form, 'MariaDB, please')
    expect(await decisionOf(asked)).toEqual({
      behavior: 'deny',
      message: 'The person answers in other words: MariaDB, please',
    })
  })

  it('comes to Codex only while the person is away', async () => {
    const phone = await makePairedPhone({ client: 'codex' })
    await phone.run('away')
    const asked = ask(phone, bash('make all'))
    const form = await formOf(phone, 'Codex CLI in ')
    press(phone, form, 'Allow')
    expect(await decisionOf(asked)).toEqual({ behavior: 'allow' })
  })

  it('reaches the next worker if one is killed', async () => {
    const phone = await makePairedPhone()
    const asked = ask(phone, bash('make all'))
    const form = await formOf(phone, 'make all')
    await isKept(phone)
    const [pid] = phone.read('state/worker.lock').split(' ')
    process.kill(Number(pid), 'SIGKILL')
    press(phone, form, 'Allow')
    await phone.run('answer', 'on')
    ask(phone, { hook_event_name: 'Notification', message: 'x', session_id: 's9' })
    expect(await decisionOf(asked)).toEqual({ behavior: 'allow' })
    await expect.poll(() => form.text, PATIENCE).toContain('allowed from Telegram')
  })
})

describe('what cannot be allowed by Telegram', () => {
  it.each<[string, object, RegExp, Parameters<typeof makePhone>[0]]>([
    ['a long command', bash(`echo ${'x'.repeat(4000)}`), /too long: answer at the machine/, {}],
    ['a dangerous command', bash('rm -rf x'), /it deletes or overwrites: answer at/, {}],
    [
      'a command on the own list',
      bash('make migrate'),
      /your list has "migrate"/,
      { answers: { never: ['migrate'] } },
    ],
    [
      'a command with a secret',
      bash(`API_TOKEN=sk-ant-api03-${'a1B2'.repeat(12)} make`),
      /it has a secret/,
      {},
    ],
    ['an edit', edit, /may not show all of it/, {}],
    [
      'a command on a channel that shows no text',
      bash('make'),
      /may not show all of it/,
      { channel: { clearance: 'minimal' } },
    ],
    ['a plan', plan, /a plan can only be denied here/, {}],
    ['a text that hides something', bash('ls \u202e -la'), /characters that cannot be seen/, {}],
  ])('is %s', async (_, payload, note, options) => {
    const phone = await makePairedPhone(options)
    const asked = ask(phone, payload)
    const form = await formOf(phone, note)
    expect(form.buttons.map(({ text }) => text)).toEqual(['Deny'])
    const data = button(form, 'Deny').replace('deny', 'allow')
    const forged = phone.telegram.press(data, form, ME)
    const told = () => phone.telegram.told.find(({ to }) => to === forged)?.text
    await expect.poll(told, PATIENCE).toBe('Not taken: it can only be denied here')
    press(phone, form, 'Deny')
    expect(await decisionOf(asked)).toMatchObject({ behavior: 'deny' })
  })

  it('is no edit on a channel that may show everything', async () => {
    const phone = await makePairedPhone({ channel: { clearance: 'full' } })
    const asked = ask(phone, edit)
    const form = await formOf(phone, 'new_string')
    press(phone, form, 'Allow')
    expect(await decisionOf(asked)).toEqual({ behavior: 'allow' })
  })

  it.each([
    ['says so', '{ "answers": false }'],
    ['cannot be read', '{ "answers": true, '],
    ['wants to switch answers on', '{ "answers": true }'],
  ])('is anything of a project whose file %s', async (_, file) => {
    const phone = await makePairedPhone()
    writeFileSync(join(phone.project, '.hookbell.json'), file)
    ask(phone, bash('make all'))
    const find = () => phone.telegram.messages.find(({ text }) => text.includes('make all'))
    await expect.poll(find, PATIENCE).toMatchObject({ buttons: [] })
  })
})

describe('a message by Telegram', () => {
  it('says that the question was answered at the terminal, and its button does nothing', async () => {
    const phone = await makePairedPhone()
    const asked = ask(phone, bash('make all'))
    const form = await formOf(phone, 'make all')
    const old = { ...form, buttons: [...form.buttons] }
    const prompt = { hook_event_name: 'UserPromptSubmit', prompt: 'No', session_id: 's1' }
    await ask(phone, prompt, { command: phone.hookOf('UserPromptSubmit').command }).printed
    expect(await decisionOf(asked)).toBeUndefined()
    await expect.poll(() => form.text, PATIENCE).toMatch(/answered at the terminal, \d\d:\d\d/)
    expect(form.buttons).toEqual([])
    ask(phone, bash('make b', { session_id: 's2' }))
    await formOf(phone, 'make b')
    const late = press(phone, old, 'Allow')
    const told = () => phone.telegram.told.find(({ to }) => to === late)?.text
    await expect.poll(told, PATIENCE).toMatch(/^Too late/)
  })

  it.each([
    ['answer', false],
    ['answer while no worker ran', true],
  ])('says that it was answered with hookbell %s', async (_, isKilled) => {
    const phone = await makePairedPhone()
    ask(phone, bash('make all'))
    const form = await formOf(phone, 'make all')
    const [question] = await waitForOpen(phone)
    await isKept(phone)
    if (isKilled) process.kill(Number(phone.read('state/worker.lock').split(' ')[0]), 'SIGKILL')
    await phone.run('answer', question?.id ?? '', 'deny', 'no')
    await expect.poll(() => form.text, PATIENCE).toMatch(/denied with hookbell answer, \d\d:\d\d/)
  })

  it('says that it is too late once the hook waits no more', async () => {
    const phone = await makePairedPhone()
    const command = phone.hookOf('PermissionRequest').command.replace('--wait 600', '--wait 10')
    const asked = ask(phone, bash('make all'), { command })
    const find = () => phone.telegram.messages.find(({ text }) => text.includes('make all'))
    expect(await decisionOf(asked)).toBeUndefined()
    await expect.poll(() => find()?.text, PATIENCE).toContain('too late to answer here')
    expect(find()?.buttons).toEqual([])
  })

  it('is answered once no other program reads the bot, and status says what to do', async () => {
    const phone = await makePairedPhone()
    phone.telegram.setConflict('Conflict: terminated by other getUpdates request')
    const asked = ask(phone, bash('make all'))
    const form = await formOf(phone, 'make all')
    press(phone, form, 'Allow')
    await expect
      .poll(async () => (await phone.run('status')).stdout, PATIENCE)
      .toMatch(/answers on phone: another .* reads this bot \(.*Make another bot/)
    phone.telegram.setConflict('')
    expect(await decisionOf(asked)).toEqual({ behavior: 'allow' })
    const { stdout } = await phone.run('status')
    expect(stdout).not.toContain('reads this bot')
  })

  it('says that answers were switched off, by the person there', async () => {
    const phone = await makePairedPhone()
    const asked = ask(phone, bash('make all'))
    const form = await formOf(phone, 'make all')
    phone.telegram.write('/off@my_bot', CHAT, ME)
    expect(await decisionOf(asked)).toBeUndefined()
    await expect.poll(() => form.text, PATIENCE).toContain('answers are switched off')
    const told = () => phone.telegram.messages.find(({ text }) => text.startsWith('Off: '))
    await expect.poll(told, PATIENCE).toBeDefined()
    expect(await decisionOf(ask(phone, bash('make all')))).toBeUndefined()
  })
})

describe('pairing with Telegram', () => {
  it('is ended by wrong codes, and taken back with unpair', async () => {
    const phone = await makePhone()
    const run = phone.runAlone('answer', 'pair', 'phone')
    await codeOf(phone.state)
    for (let at = 0; at < 5; at++) phone.telegram.write('/pair AAAA2222', CHAT, STRANGER)
    expect(await run).toMatchObject({
      exitCode: 69,
      stderr: expect.stringContaining('5 wrong codes'),
    })
    expect((await phone.run('answer', 'unpair', 'phone')).stderr).toContain('nobody is paired')
    expect((await pair(phone)).stdout).toContain(`Paired with ${ME}`)
    expect((await phone.run('answer', 'unpair', 'phone')).stdout).toContain('one person')
    ask(phone, bash('make all'))
    const find = () => phone.telegram.messages.find(({ text }) => text.includes('make all'))
    await expect.poll(find, PATIENCE).toMatchObject({ buttons: [] })
  })

  it('says what is in the way, and goes on when it is gone', async () => {
    const phone = await makePhone()
    phone.telegram.setConflict('Conflict: terminated by other getUpdates request')
    const run = phone.runAlone('answer', 'pair', 'phone')
    const code = await codeOf(phone.state)
    const problem = () => phone.read('state/spool/requests/pairing')
    await expect.poll(problem, PATIENCE).toContain('Make another bot for this machine')
    phone.telegram.setConflict('')
    phone.telegram.write(`/pair ${code}`, ME, ME)
    await expect.poll(problem, PATIENCE).toContain('another chat')
    phone.telegram.write(`/pair ${code}`, CHAT, ME)
    const { stdout } = await run
    expect(stdout).toContain('Not yet: another machine or program reads this bot')
    expect(stdout).toContain(`Paired with ${ME}`)
  })

  it('pairs nobody after Ctrl+C', async () => {
    const phone = await makePhone()
    const command = [join(root, 'bin/hookbell'), 'answer', 'pair', 'phone']
    const options = { env: phone.env, extendEnv: false, reject: false }
    const run = execa(process.execPath, command, options)
    const code = await codeOf(phone.state)
    run.kill('SIGINT')
    expect(await run).toMatchObject({ exitCode: 130 })
    phone.telegram.write(`/pair ${code}`, CHAT, ME)
    expect((await phone.run('answer', 'unpair', 'phone')).stderr).toContain('nobody is paired')
  })

  it.each([
    ['nothing', 'there is no channel "nothing"'],
    ['log', 'questions cannot be answered on log'],
    ['named', 'chat must be the number of a chat'],
    ['spare', 'the configuration lets nobody answer on spare'],
  ])('refuses the channel %s', async (channel, message) => {
    const phone = await makePhone()
    const bot = { type: 'telegram', token: '1:abcdefghijklmnopqrstuvwxyz', chat: CHAT }
    await phone.writeConfig(
      JSON.stringify({
        channels: { log: { type: 'file', path: '~/x' }, named: { ...bot, chat: '@x' }, spare: bot },
        answers: { channels: ['named'] },
      }),
    )
    const { exitCode, stderr } = await phone.run('answer', 'pair', channel)
    expect([exitCode, stderr]).toEqual([64, expect.stringContaining(message)])
  })
})

type Form = Awaited<ReturnType<typeof formOf>>

function press({ telegram }: Phone, form: Form, label: string): string {
  return telegram.press(button(form, label), form, ME)
}

function reply({ telegram }: Phone, { id, chat }: Form, text: string) {
  telegram.write(text, chat, ME, { reply_to_message: { message_id: id, chat: { id: chat } } })
}
