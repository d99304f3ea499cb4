import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startTelegram } from '../support/telegram-server.ts'
import { type AnswerHome, makeAnswerHome, PATIENCE } from './_answers.ts'

export const ME = 4711
export const STRANGER = 666
/** A group. */
export const CHAT = -100_4711
const TOKEN = '123456:canary5ecretTokenOfABot'

type Telegram = Awaited<ReturnType<typeof startTelegram>>
export type Phone = AnswerHome & { telegram: Telegram }

/** A home whose questions can be answered by Telegram, once a person is paired. */
export async function makePhone(
  options: { answers?: object; channel?: object; client?: 'claude' | 'codex' } = {},
): Promise<Phone> {
  const telegram = await startTelegram()
  const home = await makeAnswerHome(options.client)
  const phone = { type: 'telegram', server: telegram.url, token: TOKEN, chat: CHAT, noise: false }
  const config = {
    channels: { phone: { ...phone, ...options.channel } },
    routes: [{ on: ['permission'], to: ['phone'] }],
    answers: { channels: ['phone'], ...options.answers },
    lingerSeconds: 1,
  }
  await home.writeConfig(JSON.stringify(config))
  return { ...home, telegram }
}

/** The same, with a person who may answer. */
export async function makePairedPhone(options: Parameters<typeof makePhone>[0] = {}) {
  const phone = await makePhone(options)
  const { exitCode, stderr } = await pair(phone)
  expect([exitCode, stderr]).toEqual([0, ''])
  return phone
}

/** Pairs a person as a person does it. */
export async function pair({ telegram, state, runAlone }: Phone, person = ME) {
  const run = runAlone('answer', 'pair', 'phone')
  telegram.write(`/pair ${await codeOf(state)}`, CHAT, person)
  return await run
}

/** The code that the terminal shows. */
export async function codeOf(state: string): Promise<string> {
  const read = () => {
    try {
      const text = readFileSync(join(state, 'spool/requests/pairing'), 'utf8')
      return JSON.parse(text).code as string
    } catch {
      return ''
    }
  }
  await expect.poll(read, PATIENCE).not.toBe('')
  return read()
}

/** The message that has a text, once it can be answered. */
export async function formOf({ telegram }: Phone, text: string | RegExp) {
  const find = () =>
    telegram.messages.find((one) => one.buttons.length > 0 && one.text.match(text) !== null)
  await expect.poll(find, PATIENCE).toBeDefined()
  return find() ?? expect.fail('no such message')
}

/** The worker has noted which message it sent: one that is killed before that sends it again. */
export async function isKept(phone: Phone) {
  await expect.poll(() => journalOf(phone, 'delivered'), PATIENCE).toHaveLength(1)
}

/** The data of a button. */
export function button(form: { buttons: { text: string; callback_data: string }[] }, text: string) {
  const found = form.buttons.find((one) => one.text === text)
  return found?.callback_data ?? expect.fail(`no button ${text}`)
}

/** Everything that was pushed has been judged. */
export async function judged({ telegram }: Phone) {
  await expect.poll(() => telegram.isTaken(), PATIENCE).toBe(true)
}

/** What became of the questions, and what was not taken, as the journal has it. */
export function journalOf({ state }: Phone, ...types: string[]): Record<string, string>[] {
  const lines = readFileSync(join(state, 'journal.jsonl'), 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line)).filter(({ type }) => types.includes(type))
}
