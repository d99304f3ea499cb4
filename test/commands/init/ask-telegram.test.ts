import { describe, expect, it } from 'vitest'
import { askTelegram } from '../../../src/commands/init/ask-telegram.ts'
import { startReceiver } from '../../support/receiver.ts'
import { FITS, scripted } from './_scripted.ts'

const TOKEN = '123456:ABC-def_ghijklmnopqrstuvwx'
const json = (body: object, status = 200) => ({ status, body: JSON.stringify(body) })
const me = json({ ok: true, result: { id: 1, is_bot: true, username: 'my_bell_bot' } })
const updates = (...result: object[]) => json({ ok: true, result })
const ada = { id: 42, type: 'private', first_name: 'Ada' }
const group = { id: -1001, type: 'supergroup', title: 'Team' }

async function ask(script: Parameters<typeof startReceiver>[0], ...answers: (string | string[])[]) {
  const { url, received } = await startReceiver(script)
  const talk = scripted('Telegram', TOKEN, ...answers)
  return { ...talk, received, options: await askTelegram(talk.dialog, url) }
}

describe('commands: init: ask telegram', () => {
  it('finds the chat once the person has written to the bot', async () => {
    const script = [me, updates(), updates({ update_id: 1, message: { text: 'hi', chat: ada } })]
    const { options, told, secrets, received, asked } = await ask({ script }, 'look', 'look')
    expect(options).toEqual({ token: '${TELEGRAM_TOKEN}', chat: 42 })
    expect(secrets.get('TELEGRAM_TOKEN')).toBe(TOKEN)
    expect(told).toEqual([
      'Now write any word to @my_bell_bot in Telegram,\nor add it to your group.',
      'Telegram has no message for the bot yet.',
      'Found: Ada (42)',
    ])
    expect(received.map(({ path }) => path.split('/').at(-1))).toEqual([
      'getMe',
      'getUpdates',
      'getUpdates',
    ])
    for (const line of asked) expect(line.length, line).toBeLessThanOrEqual(FITS)
  })

  it('lets the person choose between several chats, the latest first', async () => {
    const both = updates(
      { message: { chat: ada } },
      { message: { chat: ada } },
      { my_chat_member: { chat: group } },
      { poll: {} },
    )
    const { options, asked } = await ask({ script: [me, both] }, 'look', '#-1001')
    expect(options.chat).toBe(-1001)
    expect(asked.slice(-2)).toEqual(['Team (-1001)', 'Ada (42)'])
  })

  it.each([
    [
      'the token is not known',
      [json({ ok: false, description: 'Unauthorized' }, 401)],
      'it does not know this token',
    ],
    [
      'another program takes the messages',
      [
        me,
        json(
          { ok: false, description: "Conflict: can't use getUpdates while webhook is active" },
          409,
        ),
      ],
      "Conflict: can't use getUpdates",
    ],
    ['a page answers', [{ status: 200, body: '<html>' }], 'it cannot be reached'],
    ['nobody answers', ['reset' as const], 'it cannot be reached'],
  ])('asks for the id if %s', async (_, script, fault) => {
    const answers = script.length > 1 ? ['look'] : []
    const { options, told } = await ask({ script }, ...answers, ['me', '@channel'])
    expect(options.chat).toBe('@channel')
    expect(told.join()).toContain(`Telegram: ${fault}`)
    expect(told.join()).not.toContain(TOKEN)
  })

  it('shows no character of a name that a terminal would obey', async () => {
    const odd = { id: 7, title: 'a\u001b[2J\nb' }
    const { told } = await ask({ script: [me, updates({ message: { chat: odd } })] }, 'look')
    expect(told.at(-1)).toMatch(/^Found: a\S* ?b \(7\)$/)
    expect(told.at(-1)).not.toContain('\u001b')
  })

  it('asks for the id of a person who knows it', async () => {
    expect((await ask({ script: [me] }, 'type', '-17')).options.chat).toBe('-17')
  })
})
