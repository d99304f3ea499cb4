import { basename } from 'node:path'
import { ageInWords } from '../text/age.ts'
import { cleanText, cutText, oneLine } from '../text/clean.ts'
import { formatTime } from '../text/local-time.ts'
import { shortSession } from '../text/short-session.ts'
import type { Message } from './define.ts'

/** An entity, a tag or a Slack link, which `boundText` must not cut in two. */
export const markupToken = /&#?\w+;|<[^<>]*>/g

/**
 * Returns text that every receiver accepts, truncated to `max` UTF-16 units between graphemes.
 * A match of `whole` is kept whole or left out.
 */
export function boundText(text: string, max: number, whole?: RegExp): string {
  return cutText(cleanText(text), max, whole)
}

/** The same as one line, for titles and for answers of receivers. */
export function boundLine(text: string, max: number): string {
  return boundText(oneLine(text), max)
}

/** Escapes the three characters that are live in Slack text, in HTML and in desktop notifications. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Where the message comes from and when it happened, for the small print: one quiet line. */
export function originOf(message: Message, now: number): string[] {
  return [...whoOf(message), timeOf(message, now)].filter((fact) => fact !== '')
}

/** The same without the time: the session, its branch and machine, its short id, and what the title leaves out. */
export function whoOf({ title, origin, cwd, client, sessionId }: Message): string[] {
  const { label = '', project = '', branch = '', host = '' } = origin ?? {}
  const facts = [
    label,
    ...[project || basename(cwd), client].filter((one) => !says(title, one)),
    branch,
    host && `on ${host}`,
    shortSession(sessionId),
  ]
  return [...new Set(facts.map(oneLine))].filter((fact) => fact !== '')
}

const MAX_WAY_ON = 320

/** The command to go on, below the small print. Whole or not at all: half a command must not be pasted. */
export function wayOnOf({ origin }: Message): string {
  const command = oneLine(origin?.reply ?? '')
  return command.length > MAX_WAY_ON ? '' : command
}

function says(title: string, word: string): boolean {
  return title.toLowerCase().includes(word.toLowerCase())
}

/** The message as a program gets it. Folders of another machine mean nothing at a hub: there it gets their project. */
export function forProgram(message: Message) {
  const { id, event, kind, urgency, title, body, sessionId, cwd, origin, client, at } = message
  const where = { cwd, ...(origin?.host && { host: origin.host, project: origin.project }) }
  return { id, event, kind, urgency, title, body, sessionId, ...where, client, at }
}

/** What a title with the project does not say: session, branch, and the age of an old message. */
export function sessionOf({ origin, at }: Message, now: number): string {
  const { label = '', branch = '' } = origin ?? {}
  const facts = [label, branch, ageInWords(Date.parse(at), now)]
  return facts.map(oneLine).filter(Boolean).join(' · ')
}

/** Local time, with the age of a message that arrives late; '' if the time is not known. */
export function timeOf({ at }: Pick<Message, 'at'>, now: number): string {
  const ms = Date.parse(at)
  if (Number.isNaN(ms)) return ''
  const age = ageInWords(ms, now)
  return `${formatTime(ms)}${age && ` (${age})`}`
}
