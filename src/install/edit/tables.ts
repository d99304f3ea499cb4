import { isDeepStrictEqual } from 'node:util'
import { parse } from 'smol-toml'
import { HookbellError } from '../../errors.ts'
import { isObject } from '../../is-object.ts'
import { refuseTooLarge } from '../file.ts'
import type { Plan } from './plan.ts'
import { hookOf, type InstallRequest } from './request.ts'
import { isOurs, type Json } from './settings-value.ts'
import { type Edit, splice, unsplice } from './splice.ts'

const STRING = String.raw`"(?:[^"\\\r\n]|\\.)*"`
/** A table as `init` writes it, with the empty line before it. One that a person changed is theirs. */
const TABLE = new RegExp(
  String.raw`(?:^\r?\n)?^\[\[hooks\]\]\r?\nevent = ${STRING}\r?\n(?:matcher = ${STRING}\r?\n)?` +
    String.raw`command = ${STRING}\r?\ntimeout = \d+(?:\r?\n|$(?![\s\S]))`,
  'gm',
)

type TablesRequest = Pick<
  InstallRequest,
  'path' | 'events' | 'hook' | 'timeouts' | 'matchers' | 'keepsTimeout'
>

/** The hooks in a file of TOML. @throws HookbellError `E_SETTINGS` if it is damaged, or `hooks` is no list of tables */
export function hooksIn(path: string, text: string): Json[] {
  const { hooks = [] } = tomlOf(path, text)
  const isList = Array.isArray(hooks) && hooks.every((one) => isObject(one))
  if (!isList) return refuse(path, '"hooks" is not a list of tables')
  // The parser's tables have no prototype, so no comparison with our objects would succeed.
  return hooks.map((hook) => ({ ...hook }))
}

/**
 * Registers one hook for each event, in a table of its own at the end of the file. A table of ours is replaced in place;
 * nothing else is touched, which is checked on the values.
 * @throws HookbellError `E_SETTINGS` for a file that is damaged or of another form
 */
export function planTables(text: string, request: TablesRequest): Plan {
  const { path, events } = request
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const before = hooksIn(path, text)
  const found = tablesIn(text)
  if (found.length !== before.filter(isOurs).length) refuseChanged(path)
  const edits = found.flatMap(({ event, offset, text: old }): Edit[] => {
    const start = /^\s*/.exec(old)?.[0] ?? ''
    const timeout = request.keepsTimeout ? /timeout = (\d+)/.exec(old)?.[1] : undefined
    const table = start + tableOf(request, event, eol, timeout)
    const isWanted = events.includes(event) && table.trimEnd() !== old.trimEnd()
    return isWanted ? [{ offset, length: old.length, text: table }] : []
  })
  const missing = events.filter((event) => !found.some((one) => one.event === event))
  if (missing.length > 0) {
    const tables = missing.map((event) => tableOf(request, event, eol)).join(eol)
    const gap = text === '' ? '' : /\n$/.test(text) ? eol : eol + eol
    edits.push({ offset: text.length, length: 0, text: gap + tables })
  }
  const { text: after, spans } = splice(text, edits)
  refuseTooLarge(path, after)
  const wanted = [
    ...before.map((hook) => (isOurs(hook) ? renewed(hook, request) : hook)),
    ...missing.map((event) => hookFor(request, event)),
  ]
  verify(path, text, after, wanted)
  if (unsplice(after, spans) !== text) throw new Error('the old text does not come back')
  return { text: after, changed: after !== text, spans, shape: 'bare' }
}

/** The text without our tables. @throws HookbellError `E_SETTINGS` if one of them was changed */
export function withoutTables(path: string, text: string): string {
  const before = hooksIn(path, text)
  const found = tablesIn(text)
  if (found.length !== before.filter(isOurs).length) refuseChanged(path)
  const edits = found.map(({ offset, text: { length } }) => ({ offset, length, text: '' }))
  const after = splice(text, edits).text
  verify(
    path,
    text,
    after,
    before.filter((hook) => !isOurs(hook)),
  )
  return after
}

/** Our tables in the text. Text in a multi-line string may look like one: the check of the values finds that. */
function tablesIn(text: string) {
  return [...text.matchAll(TABLE)].flatMap(({ 0: table, index: offset }) => {
    const [hook] = hooksIn('a table', table)
    return isOurs(hook) ? [{ event: String(hook?.event), offset, text: table }] : []
  })
}

function hookFor(request: TablesRequest, event: string, old: Json = {}): Json {
  const { command, timeout } = hookOf(request, event)
  const matcher = request.matchers?.[event]
  const kept = request.keepsTimeout && old.timeout !== undefined ? old.timeout : timeout
  return { event, ...(matcher && { matcher }), command, timeout: kept }
}

function renewed(hook: Json, request: TablesRequest): Json {
  const event = String(hook.event)
  return request.events.includes(event) ? hookFor(request, event, hook) : hook
}

function tableOf(request: TablesRequest, event: string, eol: string, timeout?: string): string {
  const { timeout: own, ...texts } = hookFor(request, event)
  // The escapes of JSON are those of TOML.
  const lines = Object.entries(texts).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  return ['[[hooks]]', ...lines, `timeout = ${timeout ?? own}`, ''].join(eol)
}

/** Checks on the values that nothing but our hooks changes, before anything is written. */
function verify(path: string, before: string, after: string, wanted: readonly Json[]): void {
  const { hooks: _, ...old } = tomlOf(path, before)
  const { hooks: __, ...now } = tomlOf(path, after, 'Write its hooks as [[hooks]] tables')
  if (isDeepStrictEqual(now, old) && isDeepStrictEqual(hooksIn(path, after), wanted)) return
  refuse(path, 'the hooks cannot be changed without changing something else')
}

/** Parsed TOML as a plain object, because the parser's objects have no prototype. */
function tomlOf(path: string, text: string, hint?: string): Json {
  try {
    return { ...parse(text.replace(/^\uFEFF/, '')) }
  } catch (error) {
    const { message, line, column } = Object(error)
    const [what = ''] = String(message).split('\n')
    return refuse(`${path}:${line}:${column}`, what, hint, error)
  }
}

function refuseChanged(path: string): never {
  return refuse(path, 'a hook of hookbell is not as init wrote it', 'Remove it by hand')
}

function refuse(
  path: string,
  what: string,
  hint = 'Correct the file by hand',
  cause?: unknown,
): never {
  throw new HookbellError('E_SETTINGS', `${path}: ${what}`, {
    hint: `${hint}, then run the command again. Nothing was written`,
    cause,
  })
}
