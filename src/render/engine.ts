import type { Liquid, Template } from 'liquidjs'
import type { Notifier } from '../notifiers/define.ts'
import { notifiers } from '../notifiers/index.ts'
import { makeLiquid } from '../text/liquid.ts'
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

function makeEngine(format: Format): Liquid {
  const markup = markups.get(format) ?? plain
  const toText = (value: unknown) =>
    value instanceof Formatted ? value.in(markup) : markup.escape(String(value ?? ''))
  return makeLiquid(toText, { greedy: false })
}

const engines = new Map<Format, Liquid>()
const parsed = new Map<string, Template[]>()

/**
 * Renders a template with values. Parsed templates are cached: the same text is used for event after event.
 * @param limits of the time: by default those of makeLiquid, for templates that may contain long loops
 * @throws an error of liquidjs that names line and column
 */
export function fill(
  format: Format,
  template: string,
  values: object,
  limits: { renderLimit?: number } = {},
): string {
  return engineFor(format).renderSync(treeOf(format, template), values, limits)
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
