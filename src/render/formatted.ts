import { Drop } from 'liquidjs'
import type { Markup } from '../notifiers/define.ts'
import { plain } from './plain.ts'

/** A value of a template that looks different in each format. Compared, or given to a filter, it is its plain text. */
export class Formatted extends Drop {
  readonly #render: (markup: Markup) => string
  #plain: string | undefined

  /** @param render its text in a format, escaped for it */
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
