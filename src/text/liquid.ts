import { Liquid, type LiquidOptions } from 'liquidjs'

/** An engine for templates: own properties of plain data only, no files, no partials, bounded work. */
export function makeLiquid(
  outputEscape: (value: unknown) => string,
  options: LiquidOptions = {},
): Liquid {
  const engine = new Liquid({
    ...options,
    ownPropertyOnly: true,
    strictFilters: true,
    templates: {},
    renderLimit: 1000,
    parseLimit: 64 * 1024,
    memoryLimit: 4 * 1024 * 1024,
    // For names of months. Given, because liquidjs would ask Intl: a third of a worker's start time.
    locale: localeOf(process.env),
    outputEscape,
  })
  // Liquid's `raw` filter would switch the escaping off. Markup belongs in the template itself.
  engine.registerFilter('raw', (value: unknown) => value)
  return engine
}

/** `de-DE` for `de_DE.UTF-8`. */
function localeOf({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): string {
  const [name = ''] = (LC_ALL || LC_MESSAGES || LANG || '').split(/[.@]/)
  return /^[a-z]{2,3}(_[A-Z]{2})?$/.test(name) ? name.replace('_', '-') : 'en-US'
}
