import type { Markup } from '../notifiers/define.ts'
import { listOfLines } from '../text/list.ts'

/** Text without markup, for desktops, terminals, phones and the text part of mails. */
export const plain: Markup = {
  name: 'plain',
  escape: (text) => text,
  parts: {
    bold: (inner) => inner,
    italic: (inner) => inner,
    strike: (inner) => inner,
    code: (text) => text,
    codeBlock: (text) => text,
    address: (text) => text,
    paragraph: (inner) => inner,
    quote: (inner) => inner.replace(/^/gm, '> '),
    list: listOfLines,
    moment: (_, words) => words,
  },
}
