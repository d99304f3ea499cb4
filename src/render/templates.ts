import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Liquid, Template } from 'liquidjs'
import { HookbellError } from '../errors.ts'
import type { Kind } from '../event/event.ts'
import { checkOwnership, folderFault } from '../fs/ownership.ts'
import { readRegular } from '../fs/read.ts'
import { monotonicMs } from '../monotonic.ts'
import type { Notifier } from '../notifiers/define.ts'
import { notifiers } from '../notifiers/index.ts'
import { packageRoot } from '../package-root.ts'
import { makeLiquid } from '../text/liquid.ts'
import { Formatted, plain } from './markdown.ts'

/** The formats that templates are written in: plain text, and each markup that a notifier declares. */
const markups = new Map(
  [plain, ...Object.values<Notifier>(notifiers).flatMap(({ markup }) => markup ?? [])].map(
    (markup) => [markup.name, markup],
  ),
)

export type Format = string

export const formats: readonly Format[] = [...markups.keys()]

const CHECK_EVERY_MS = 200
const MAX_BYTES = 256 * 1024
const SET_ASIDE_MS = 60_000

/** The texts of templates. Each file in the user's own folder takes precedence over the built-in one. */
export class Templates {
  readonly #ours = join(packageRoot(), 'templates')
  readonly #configDir: string
  readonly #own: string
  readonly #texts = new Map<string, { stamp: number; text: string }>()
  /** Until when templates that took too long are not tried, by their text. */
  readonly #setAside = new Map<string, number>()
  #lookedAt = Number.NEGATIVE_INFINITY
  #isThere = false

  constructor(configDir: string) {
    this.#configDir = configDir
    this.#own = join(configDir, 'templates')
  }

  /**
   * The user's template for a kind, or one that a route names; undefined if there is none. Read again when it changes.
   * @throws the system error if it cannot be read, HookbellError E_TEMPLATE if it must not be used now
   */
  own(format: Format, name: string): string | undefined {
    if (!this.#hasOwn()) return undefined
    const text = this.#read(join(this.#own, format, `${name}.liquid`))
    if (text !== undefined && monotonicMs() < (this.#setAside.get(text) ?? 0))
      throw new HookbellError('E_TEMPLATE', 'took too long less than a minute ago')
    return text
  }

  /**
   * Refuses a template that took too long, during which everything waits. For a minute: the machine may have been busy.
   */
  setAside(text: string) {
    this.#setAside.set(text, monotonicMs() + SET_ASIDE_MS)
  }

  /** @throws HookbellError E_TEMPLATE where the package is gone */
  builtIn(format: Format, kind: Kind): string {
    const path = join(this.#ours, format, `${kind}.liquid`)
    const text = this.#texts.get(path)?.text ?? this.#read(path)
    if (text === undefined) throw new HookbellError('E_TEMPLATE', `${path}: missing`)
    return text
  }

  /** Most people have none: then the folder is checked now and then, instead of three files per event. */
  #hasOwn(): boolean {
    const now = monotonicMs()
    if (now - this.#lookedAt < CHECK_EVERY_MS) return this.#isThere
    this.#lookedAt = now
    // In a folder that others can change, a template may be a link to any file of this user.
    const folders = [this.#configDir, this.#own]
    this.#isThere = existsSync(this.#own) && !folders.some((folder) => folderFault(folder))
    return this.#isThere
  }

  #read(path: string): string | undefined {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat?.isFile()) return undefined
    const known = this.#texts.get(path)
    if (known?.stamp === stat.ctimeMs) return known.text
    const text = readTemplate(path)
    if (text !== undefined) this.#texts.set(path, { stamp: stat.ctimeMs, text })
    return text
  }
}

/** @throws HookbellError E_TEMPLATE if it must not be used: too large, or others can change it */
export function readTemplate(path: string): string | undefined {
  return readRegular(path, { maxBytes: MAX_BYTES, code: 'E_TEMPLATE', check: checkOwnership })
}

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
