import { randomBytes } from 'node:crypto'
import type { Ask } from '../../answer/ask.ts'
import type { Offer } from '../../answer/remote/offer.ts'
import type { Button, Form } from '../../notifiers/define.ts'
import type { Shown } from '../../spool/card.ts'

/** What is kept of a form that is shown. */
export type KeptForm = NonNullable<Shown['form']>

/** The chosen options, question by question. */
export type Picks = readonly ReadonlySet<number>[]

/** What a button does. */
type Action =
  | { type: 'allow' | 'deny' | 'send' }
  | { type: 'pick'; question: number; option: number }

const MAX_LABEL = 40
const DATA = /^(?:(allow|deny|send)|(\d{1,2})-(\d{1,2}))\.([\w-]{22})$/

/** A number that nobody can guess, for one question on one channel. */
export function newNonce(): string {
  return randomBytes(16).toString('base64url')
}

/** @returns undefined for anything but the data of one of our buttons */
export function readButton(data: string): { action: Action; nonce: string } | undefined {
  const [, verb, question, option, nonce] = DATA.exec(data) ?? []
  if (nonce === undefined) return undefined
  if (verb !== undefined) return { action: { type: verb as 'allow' | 'deny' | 'send' }, nonce }
  return { action: { type: 'pick', question: Number(question), option: Number(option) }, nonce }
}

/** The question with its buttons. */
export function formOf(
  { title, text, nonce }: Pick<KeptForm, 'title' | 'text' | 'nonce'>,
  ask: Ask,
  { whyNot }: Pick<Offer, 'whyNot'>,
  picks: Picks = [],
): Form {
  const deny = { label: 'Deny', data: `deny.${nonce}` }
  if (whyNot !== undefined) return { title, text, note: `${whyNot}. ${REPLY}`, buttons: [[deny]] }
  if (ask.about !== 'choices') {
    const buttons = [[{ label: 'Allow', data: `allow.${nonce}` }, deny]]
    return { title, text, note: REPLY, buttons }
  }
  const rows = ask.questions.flatMap(({ options }, question) =>
    options.map(({ label }, option): Button[] => {
      const mark = picks[question]?.has(option) ? '✓ ' : ''
      const number = ask.questions.length > 1 ? `${question + 1}: ` : ''
      const short = label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL)}…` : label
      const data = `${question}-${option}.${nonce}`
      return [{ label: mark + number + short.toWellFormed(), data }]
    }),
  )
  const send = isOneChoice(ask) ? [] : [{ label: 'Send', data: `send.${nonce}` }]
  return { title, text, note: CHOOSE, buttons: [...rows, [...send, deny]] }
}

const REPLY = 'A reply to this message denies it, with your words as the reason'
const CHOOSE = 'Press, or reply with numbers, or in words of your own'

/** Whether one press answers it all. */
export function isOneChoice(ask: Ask): boolean {
  return ask.about === 'choices' && ask.questions.length === 1 && !ask.questions[0]?.isMultiple
}

/** The picks after one more; undefined if there is no such option. */
export function withPick(
  ask: Ask,
  picks: Picks,
  { question, option }: Extract<Action, { type: 'pick' }>,
): Picks | undefined {
  const asked = ask.about === 'choices' ? ask.questions[question] : undefined
  if (ask.about !== 'choices' || !asked?.options[option]) return undefined
  return ask.questions.map((_, at) => {
    const before = picks[at] ?? new Set<number>()
    if (at !== question) return before
    if (!asked.isMultiple) return new Set([option])
    return before.has(option)
      ? new Set([...before].filter((one) => one !== option))
      : new Set([...before, option].sort((one, other) => one - other))
  })
}

/** The chosen labels; undefined as long as a question has none. */
export function labelsOf(ask: Ask, picks: Picks): string[][] | undefined {
  if (ask.about !== 'choices') return undefined
  const labels = ask.questions.map(({ options }, at) =>
    [...(picks[at] ?? [])].flatMap((option) => options[option]?.label ?? []),
  )
  return labels.every((chosen) => chosen.length > 0) ? labels : undefined
}
