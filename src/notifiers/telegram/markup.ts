import { listOfLines } from '../../text/list.ts'
import { escapeHtml } from '../_markup.ts'
import type { Markup } from '../define.ts'

/** Invisible, and no part of anything that Telegram makes live (is_url_unicode_symbol in tdlib's MessageEntity.cpp). */
const JOINER = '\u2060'

/**
 * Telegram makes URLs, names of domains and users, hashtags and commands live everywhere except in code. It reads them
 * across elements, so the end of a text may be the middle of a name.
 */
export function escapeTelegram(text: string): string {
  const dead = text
    .replace(/[@#$](?!\s)|:(?=\/\/|\/?$)|\.(?=[\p{L}\d]|$)/gu, `$&${JOINER}`)
    .replace(/(?<![\w/])\/(?=[a-z]|$)/gi, `/${JOINER}`)
  return escapeHtml(dead)
}

/** The few elements of HTML that Telegram knows. */
export const telegramMarkup: Markup = {
  name: 'telegram',
  escape: escapeTelegram,
  parts: {
    bold: (inner) => `<b>${inner}</b>`,
    italic: (inner) => `<i>${inner}</i>`,
    strike: (inner) => `<s>${inner}</s>`,
    code: (text) => `<code>${escapeHtml(text)}</code>`,
    codeBlock: (text) => `<pre>${escapeHtml(text)}</pre>`,
    // As code, because Telegram makes a URL live.
    address: (text) => `<code>${escapeHtml(text)}</code>`,
    paragraph: (inner) => inner,
    // Telegram refuses a quote inside a quote.
    quote: (inner) => `<blockquote>${inner.replace(/<\/?blockquote>/g, '')}</blockquote>`,
    list: listOfLines,
    moment: (_, words) => words,
  },
}

/** Ends the elements that are open where a text was cut. */
export function closeElements(html: string): string {
  const open: string[] = []
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z-]+)[^<>]*>/g)) {
    if (slash) open.pop()
    else open.push(name)
  }
  return (
    html +
    open
      .reverse()
      .map((name) => `</${name}>`)
      .join('')
  )
}
