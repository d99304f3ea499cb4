import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ask, bash, decisionOf, PATIENCE, waitForOpen } from './_answers.ts'
import {
  button,
  CHAT,
  formOf,
  journalOf,
  judged,
  ME,
  makePairedPhone,
  type Phone,
  pair,
  STRANGER,
} from './_phone.ts'

type Form = Awaited<ReturnType<typeof formOf>>

interface Scene {
  telegram: Phone['telegram']
  /** What is asked now, another question that is asked now, and one that was answered before. */
  form: Form
  other: Form
  old: Form
}

const replyTo = ({ id, chat }: { id: number; chat: number }) => ({
  reply_to_message: { message_id: id, chat: { id: chat } },
})
const allow = (form: Form) => button(form, 'Allow')
const nonceOf = (form: Form) => allow(form).split('.')[1] ?? ''
const pressed = ({ telegram, form }: Scene, data: string) => telegram.press(data, form, ME)
const update = ({ telegram }: Scene, query: object) =>
  telegram.push({ callback_query: { id: 'x', from: { id: ME }, ...query } })
const onForm = ({ form }: Scene) => ({ message_id: form.id, chat: { id: CHAT } })

const NOT_PAIRED = 'a person who is not paired, or in another chat'
const OLD = 'an old button, or one that is not known'
/** Nothing is recorded: nobody can say for which question it was meant, or whether it was meant for one. */
const NOTHING = undefined

/** What is tried, how, and why it is not taken. */
const attempts: [string, (scene: Scene) => void, string | undefined][] = [
  // other people
  [
    'a stranger allows',
    ({ telegram, form }) => telegram.press(allow(form), form, STRANGER),
    NOT_PAIRED,
  ],
  [
    'a stranger denies',
    ({ telegram, form }) => telegram.press(button(form, 'Deny'), form, STRANGER),
    NOT_PAIRED,
  ],
  [
    'a stranger replies',
    ({ telegram, form }) => telegram.write('no', CHAT, STRANGER, replyTo(form)),
    NOT_PAIRED,
  ],
  [
    'a stranger switches answers off',
    ({ telegram }) => telegram.write('/off', CHAT, STRANGER),
    NOT_PAIRED,
  ],
  [
    'a stranger with the same name',
    ({ telegram, form }) =>
      telegram.press(allow(form), form, STRANGER, {
        from: { id: STRANGER, username: 'me', first_name: `${ME}` },
      }),
    NOT_PAIRED,
  ],
  [
    'a person who was paired after the question was shown',
    ({ telegram, form }) => telegram.press(allow(form), form, ME + 1),
    'a person who was paired later',
  ],
  [
    'a bot presses',
    (scene) =>
      update(scene, {
        from: { id: ME, is_bot: true },
        message: onForm(scene),
        data: allow(scene.form),
      }),
    'a bot',
  ],
  [
    'an anonymous administrator replies',
    ({ telegram, form }) =>
      telegram.write('no', CHAT, ME, { ...replyTo(form), sender_chat: { id: CHAT } }),
    'somebody who writes as a group or a channel',
  ],
  [
    'nobody presses',
    (scene) => update(scene, { from: undefined, message: onForm(scene), data: allow(scene.form) }),
    NOTHING,
  ],
  // forged ids
  ['the negative id', ({ telegram, form }) => telegram.press(allow(form), form, -ME), NOT_PAIRED],
  [
    'the id as a text',
    (scene) =>
      update(scene, { from: { id: `${ME}` }, message: onForm(scene), data: allow(scene.form) }),
    NOTHING,
  ],
  ['a part of an id', ({ telegram, form }) => telegram.press(allow(form), form, ME + 0.5), NOTHING],
  [
    'another chat',
    ({ telegram, form }) => telegram.press(allow(form), { ...form, chat: ME }, ME),
    NOT_PAIRED,
  ],
  ['no message', (scene) => update(scene, { data: allow(scene.form) }), NOT_PAIRED],
  [
    'an inline message',
    (scene) => update(scene, { inline_message_id: '1', data: allow(scene.form) }),
    NOT_PAIRED,
  ],
  [
    'a reply to the same message id in another chat',
    ({ telegram, form }) => telegram.write('no', CHAT, ME, replyTo({ ...form, chat: ME })),
    NOTHING,
  ],
  // old and replayed buttons
  [
    'a button of another question',
    ({ telegram, form, other }) => telegram.press(allow(other), form, ME),
    'a button at another message',
  ],
  [
    'a button of an answered question',
    ({ telegram, old }) => telegram.press(allow(old), old, ME),
    OLD,
  ],
  [
    'that button at the message of now',
    ({ telegram, form, old }) => telegram.press(allow(old), form, ME),
    OLD,
  ],
  [
    'a reply to an answered question',
    ({ telegram, old }) => telegram.write('no', CHAT, ME, replyTo(old)),
    NOTHING,
  ],
  ['a made-up number', (scene) => pressed(scene, `allow.${'A'.repeat(22)}`), OLD],
  ['a shorter number', (scene) => pressed(scene, allow(scene.form).slice(0, -1)), OLD],
  ['a longer number', (scene) => pressed(scene, `${allow(scene.form)}A`), OLD],
  ['no number', (scene) => pressed(scene, 'allow'), OLD],
  ['no data', (scene) => pressed(scene, ''), OLD],
  ['another line behind it', (scene) => pressed(scene, `${allow(scene.form)}\n`), OLD],
  ['another word before it', (scene) => pressed(scene, `ALLOW.${nonceOf(scene.form)}`), OLD],
  ['a rule for ever', (scene) => pressed(scene, `always.${nonceOf(scene.form)}`), OLD],
  [
    'a choice where there is none',
    (scene) => pressed(scene, `0-0.${nonceOf(scene.form)}`),
    'a button that the message does not have',
  ],
  [
    'the end of choices',
    (scene) => pressed(scene, `send.${nonceOf(scene.form)}`),
    'a button that the message does not have',
  ],
  // edited and forwarded messages
  [
    'an edited reply',
    ({ telegram, form }) =>
      telegram.push({
        edited_message: {
          message_id: 1,
          chat: { id: CHAT },
          from: { id: ME },
          text: 'no',
          ...replyTo(form),
        },
      }),
    'an edited message',
  ],
  [
    'a forwarded reply',
    ({ telegram, form }) =>
      telegram.write('no', CHAT, ME, { ...replyTo(form), forward_origin: { type: 'user' } }),
    'a forwarded message',
  ],
  [
    'one that an older server forwards',
    ({ telegram, form }) => telegram.write('no', CHAT, ME, { ...replyTo(form), forward_date: 1 }),
    'a forwarded message',
  ],
  [
    'a button at a forwarded message',
    (scene) =>
      update(scene, {
        message: { ...onForm(scene), forward_origin: { type: 'user' } },
        data: allow(scene.form),
      }),
    'a forwarded message',
  ],
  [
    'a reply by way of a bot',
    ({ telegram, form }) =>
      telegram.write('no', CHAT, ME, { ...replyTo(form), via_bot: { id: 5 } }),
    'a message by way of a bot',
  ],
  [
    'a reply from another chat',
    ({ telegram, form }) =>
      telegram.write('no', CHAT, ME, { ...replyTo(form), external_reply: {} }),
    'a reply to another chat',
  ],
  // words
  [
    'a reply that means yes',
    ({ telegram, form }) => telegram.write('OK!', CHAT, ME, replyTo(form)),
    NOTHING,
  ],
  ['words that reply to nothing', ({ telegram }) => telegram.write('allow', CHAT, ME), NOTHING],
  [
    'a pairing that nobody began',
    ({ telegram }) => telegram.write('/pair ABCD2345', CHAT, STRANGER),
    NOTHING,
  ],
]

describe('what somebody else does on a channel', () => {
  it(`changes nothing: ${attempts.length} attempts`, async () => {
    const phone = await makePairedPhone()
    const { telegram } = phone
    const settled = ask(phone, bash('make old', { session_id: 's0' }))
    const old = copy(await formOf(phone, 'make old'))
    telegram.press(allow(old), old, ME)
    expect(await decisionOf(settled)).toEqual({ behavior: 'allow' })
    await expect.poll(() => buttonsOf(phone, old.id), PATIENCE).toBe(0)
    const asked = ['a', 'b'].map((name) => ask(phone, bash(`make ${name}`, { session_id: name })))
    const form = copy(await formOf(phone, 'make a'))
    const other = copy(await formOf(phone, 'make b'))
    expect((await pair(phone, ME + 1)).exitCode).toBe(0)
    const reasons = () => [
      ...journalOf(phone, 'not-taken').map(({ reason }) => reason),
      ...journalOf(phone, 'note').flatMap(({ subject, value = '' }) =>
        subject === 'answer not taken' ? value.replace(/^telegram -?[\d.]+: /, '') : [],
      ),
    ]
    for (const [name, attempt, reason] of attempts) {
      const before = reasons()
      attempt({ telegram, form, other, old })
      await judged(phone)
      if (reason !== undefined)
        await expect
          .poll(() => reasons().length, { ...PATIENCE, message: name })
          .toBe(before.length + 1)
      const added = reasons()
      for (const one of before) added.splice(added.indexOf(one), 1)
      expect([name, ...added]).toEqual([name, ...(reason === undefined ? [] : [reason])])
      expect([name, waiting(phone)]).toEqual([name, 2])
    }
    expect([form, other].map(({ id }) => buttonsOf(phone, id))).toEqual([2, 2])
    telegram.press(allow(form), form, ME)
    telegram.press(button(other, 'Deny'), other, ME)
    expect(await Promise.all(asked.map(decisionOf))).toEqual([
      { behavior: 'allow' },
      { behavior: 'deny', message: 'The person denied this.' },
    ])
    await expect.poll(() => journalOf(phone, 'answered').length, PATIENCE).toBe(3)
    const { stdout } = await phone.run('why', '--json')
    expect(stdout).toContain('not-taken')
  })

  it('reaches the agent once, of many answers at the same time', async () => {
    const phone = await makePairedPhone()
    const { telegram } = phone
    const asked = ask(phone, bash('make all'))
    const form = copy(await formOf(phone, 'make all'))
    const [question] = await waitForOpen(phone)
    const runs = ['a', 'b'].map((why) =>
      phone.runAlone('answer', question?.id ?? '', 'deny', `reason ${why}`),
    )
    for (let at = 0; at < 4; at++) {
      telegram.press(allow(form), form, ME)
      telegram.press(button(form, 'Deny'), form, ME)
    }
    const decision = await decisionOf(asked)
    await Promise.all(runs)
    await expect.poll(() => journalOf(phone, 'answered').length, PATIENCE).toBe(1)
    const [{ answer = '', place = '' } = {}] = journalOf(phone, 'answered')
    expect(decision).toMatchObject({ behavior: answer === 'allowed' ? 'allow' : 'deny' })
    const where = place === 'command' ? 'with hookbell answer' : 'from Telegram'
    const text = () => telegram.messages.find(({ id }) => id === form.id)?.text
    await expect.poll(text, PATIENCE).toContain(`${answer.split(':')[0]} ${where}`)
  })

  it('is not taken faster than a person decides', async () => {
    const phone = await makePairedPhone()
    const asked = Array.from({ length: 14 }, (_, at) =>
      ask(phone, bash(`make part${at}.`, { session_id: `s${at}` })),
    )
    for (const at of asked.keys()) {
      const form = await formOf(phone, `make part${at}.`)
      phone.telegram.press(allow(form), form, ME)
    }
    await judged(phone)
    await expect
      .poll(() => journalOf(phone, 'answered', 'not-taken').length, PATIENCE)
      .toBe(asked.length)
    const times = journalOf(phone, 'answered').map(({ at }) => Number(at))
    // However long the questions took: at most so many within any minute.
    for (const from of times)
      expect(times.filter((at) => at >= from && at < from + 60_000).length).toBeLessThan(13)
  })
})

function copy(form: Form): Form {
  return { ...form, buttons: [...form.buttons] }
}

function buttonsOf({ telegram }: Phone, message: number): number | undefined {
  return telegram.messages.find(({ id }) => id === message)?.buttons.length
}

/** How many hooks wait for an answer. */
function waiting({ answers }: Phone): number {
  return readdirSync(answers).filter((name) => /\.\d+$/.test(name)).length
}
