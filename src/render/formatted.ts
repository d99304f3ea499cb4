import { Drop } from 'liquidjs'
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

/** A template value that each format renders differently. Comparisons and filters use its plain text. */
export class Formatted extends Drop {
  readonly #render: (markup: Markup) => string
  #plain: string | undefined

  /** @param render returns the text in a markup language, escaped for it */
  constructor(render: (markup: Markup) => string) {
    super()
    this.#render = render
  }

  in(markup: Markup): string {
    return markup === plain ? this.valueOf() : this.#render(markup)
  }

  override valueOf(): string {
    this.#plain ??= this.#render(plain)
    return this.#plain
  }
}
