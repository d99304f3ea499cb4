import { listOfLines } from '../text/list.ts'
import { boundText, escapeMarkup } from './_text.ts'
import type { Markup } from './define.ts'

const entities: { [mark: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => entities[mark] ?? mark)
}

export const slackMarkup: Markup = {
  name: 'slack',
  // Slack reads * _ ~ ` only at the edge of a word; a zero-width space on both sides takes that edge away. Another one
  // keeps the name of an emoji from becoming a picture, such as in main.ts:100:5. Only these two are plain numbers; other
  // line numbers and times can be copied as they are.
  escape: (text) =>
    escapeMarkup(text)
      .replace(/:(?=[\w+-]+:)(?=100:|1234:|[+-]1:|[^a-z:]*[a-z])/g, ':\u200b')
      .replace(/[*_~`]/g, '\u200b$&\u200b'),
  parts: {
    bold: (inner) => around('*', inner),
    italic: (inner) => around('_', inner),
    strike: (inner) => around('~', inner),
    code: slackCode,
    codeBlock: (text) => `\`\`\`\n${escapeMarkup(text.replaceAll('```', "'''"))}\n\`\`\``,
    // As code, because `escape` would put zero-width spaces into a URL that is copied.
    address: slackCode,
    paragraph: (inner) => inner,
    quote: (inner) => inner.replace(/^/gm, '> '),
    list: listOfLines,
    moment: (at, words) => {
      const fallback = words.replace(/[|<>^]/g, ' ')
      return `<!date^${Math.floor(at / 1000)}^{date_short_pretty} {time}|${fallback}>`
    },
  },
}

export const htmlMarkup: Markup = {
  name: 'html',
  escape: escapeHtml,
  parts: {
    bold: (inner) => `<b>${inner}</b>`,
    italic: (inner) => `<i>${inner}</i>`,
    strike: (inner) => `<s>${inner}</s>`,
    code: (text) =>
      `<code style="background: #8882; padding: 0 0.2em; border-radius: 3px">${escapeHtml(text)}</code>`,
    codeBlock: (text) =>
      `<pre style="white-space: pre-wrap; background: #8882; padding: 0.6em 0.8em; border-radius: 6px; margin: 0.8em 0">${escapeHtml(text)}</pre>`,
    address: escapeHtml,
    paragraph: (inner) => `<p style="margin: 0.6em 0">${inner.replaceAll('\n', '<br>\n')}</p>`,
    quote: (inner) =>
      `<blockquote style="margin: 0.6em 0; padding-left: 0.8em; border-left: 3px solid #8886">${inner}</blockquote>`,
    list: (items, first) => {
      const [open, close] =
        first === undefined ? ['<ul>', '</ul>'] : [`<ol start="${first}">`, '</ol>']
      return `${open}${items.map((item) => `<li>${item}</li>`).join('')}${close}`
    },
    moment: (_, words) => words,
  },
}

/** Slack and Discord ignore marks that span lines, and marks with a space just inside them. */
export function around(mark: string, inner: string): string {
  const text = inner.replace(/\s+/g, ' ').trim()
  return text && `${mark}${text}${mark}`
}

const CODE_END = '\n```'

/** Truncates Slack's or Discord's markup. A code block that was cut in two would show its marks, and its text as markup. */
export function boundMarkup(markup: string, max: number, whole: RegExp): string {
  const text = boundText(markup, max - CODE_END.length, whole)
  const isOpen = text.split('```').length % 2 === 0
  return isOpen ? text + CODE_END : text
}

/** Slack has no escape for a backquote, so an apostrophe replaces it. */
function slackCode(text: string): string {
  const inner = escapeMarkup(text.replaceAll('`', "'")).replace(/\s+/g, ' ').trim()
  return inner && `\`${inner}\``
}
