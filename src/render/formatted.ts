import { Drop } from 'liquidjs'
import type { Markup } from '../notifiers/define.ts'
import { plain } from './plain.ts'

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
