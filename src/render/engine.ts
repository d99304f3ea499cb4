import { Liquid, type Template } from 'liquidjs'
import type { Notifier } from '../notifiers/define.ts'
import { notifiers } from '../notifiers/index.ts'
import { Formatted } from './formatted.ts'
import { plain } from './plain.ts'

/** The formats that templates are written in: plain text, and each markup that a notifier declares. */
const markups = new Map(
  [plain, ...Object.values<Notifier>(notifiers).flatMap(({ markup }) => markup ?? [])].map(
    (markup) => [markup.name, markup],
  ),
)

export type Format = string
export const formats: readonly Format[] = [...markups.keys()]

/** For names of months in templates. Given, because liquidjs would ask Intl: a third of a worker's start time. */
const locale = localeOf(process.env)

/** Own properties of plain data only, no files, no partials, bounded work. */
function makeEngine(format: Format): Liquid {
  const markup = markups.get(format) ?? plain
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    templates: {},
    greedy: false,
    renderLimit: 1000,
    parseLimit: 64 * 1024,
    locale,
    memoryLimit: 4 * 1024 * 1024,
    outputEscape: (value: unknown) =>
      value instanceof Formatted ? value.in(markup) : markup.escape(String(value ?? '')),
  })
  // Liquid's `raw` filter would switch the escaping off. Markup belongs in the template itself.
  engine.registerFilter('raw', (value: unknown) => value)
  return engine
}

const engines = new Map<Format, Liquid>()
const parsed = new Map<string, Template[]>()

/**
 * Renders a template with values. Parsed templates are cached: the same text is used for event after event.
 * @throws an error of liquidjs that names line and column
 */
export function fill(format: Format, template: string, values: object): string {
  return engineFor(format).renderSync(treeOf(format, template), values)
}

/** The names of the values that a template uses. @throws as `fill` does */
export function namesIn(format: Format, template: string): string[] {
  return engineFor(format).globalVariablesSync(treeOf(format, template))
}

function treeOf(format: Format, template: string): Template[] {
  const key = `${format}:${template}`
  const tree = parsed.get(key) ?? engineFor(format).parse(template)
  parsed.set(key, tree)
  return tree
}

function engineFor(format: Format): Liquid {
  const engine = engines.get(format) ?? makeEngine(format)
  engines.set(format, engine)
  return engine
}

/** `de-DE` for `de_DE.UTF-8`. */
function localeOf({ LC_ALL, LC_MESSAGES, LANG }: NodeJS.ProcessEnv): string {
  const [name = ''] = (LC_ALL || LC_MESSAGES || LANG || '').split(/[.@]/)
  return /^[a-z]{2,3}(_[A-Z]{2})?$/.test(name) ? name.replace('_', '-') : 'en-US'
}
