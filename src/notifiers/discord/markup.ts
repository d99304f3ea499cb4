import { listOfLines } from '../../text/list.ts'
import { around } from '../_markup.ts'
import type { Markup } from '../define.ts'

/**
 * Discord's Markdown. A backslash before any mark shows it as it is; within a URL or the name of an emoji it also keeps
 * Discord from making it live.
 */
export function escapeDiscord(text: string): string {
  return text
    .replace(/[\\`*_~|<[\]@]/g, '\\$&')
    .replaceAll('://', ':\\//')
    .replace(/:(?=\w+:)/g, '\\:')
    .replace(/^([ \t]*)([#>+-])/gm, '$1\\$2')
    .replace(/^([ \t]*\d+)([.)])/gm, '$1\\$2')
}

export const discordMarkup: Markup = {
  name: 'discord',
  escape: escapeDiscord,
  parts: {
    bold: (inner) => around('**', inner),
    italic: (inner) => around('*', inner),
    strike: (inner) => around('~~', inner),
    code: discordCode,
    codeBlock: (text) => `\`\`\`\n${text.replaceAll('```', "'''")}\n\`\`\``,
    // As code, because Discord makes a URL live.
    address: discordCode,
    paragraph: (inner) => inner,
    quote: (inner) => inner.replace(/^/gm, '> '),
    list: listOfLines,
    // Discord shows it in the time zone of the reader.
    moment: (at) => `<t:${Math.floor(at / 1000)}:f>`,
  },
}

/** Nothing inside is live. A backquote would end it, so an apostrophe replaces it. */
export function discordCode(text: string): string {
  return around('`', text.replaceAll('`', "'"))
}
