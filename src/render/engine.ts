import { Liquid, type Template } from 'liquidjs'

const entities: { [mark: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** What a value becomes when a template prints it. Nothing of an event can act as markup. */
const escapes = {
  plain: (text: string) => text,
  // Slack reads * _ ~ ` only at the edge of a word; a zero-width space on both sides takes that edge away.
  slack: (text: string) =>
    text.replace(/[&<>]/g, (mark) => entities[mark] ?? mark).replace(/[*_~`]/g, '\u200b$&\u200b'),
  html: (text: string) => text.replace(/[&<>"']/g, (mark) => entities[mark] ?? mark),
} satisfies { [format: string]: (text: string) => string }

export type Format = keyof typeof escapes
export const formats = Object.keys(escapes) as Format[]

/** Own properties of plain data only, no files, no partials, bounded work. */
function makeEngine(format: Format): Liquid {
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    templates: {},
    greedy: false,
    renderLimit: 1000,
    parseLimit: 64 * 1024,
    memoryLimit: 4 * 1024 * 1024,
    outputEscape: (value: unknown) => escapes[format](String(value ?? '')),
  })
  // It would switch the escaping off. Whoever wants markup writes it into the template.
  engine.registerFilter('raw', (value: unknown) => value)
  return engine
}

const engines = new Map<Format, Liquid>()
const parsed = new Map<string, Template[]>()

/**
 * Fills a template with values. Parsed templates are kept: the same text is used for event after event.
 * @throws an error of liquidjs that names line and column
 */
export function fill(format: Format, template: string, values: object): string {
  return engineFor(format).renderSync(treeOf(format, template), values)
}

/** The values that a template asks for. @throws as `fill` does */
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
