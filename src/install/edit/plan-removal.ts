import { isDeepStrictEqual } from 'node:util'
import { createScanner, type Node, type SyntaxKind } from 'jsonc-parser'
import type { HookLayout } from '../../clients/define.ts'
import { sha256 } from '../../text/sha256.ts'
import type { BackupRecord } from '../backup.ts'
import { property, readEventMap } from './event-map.ts'
import { parseSettings, type Refuse, refuseAt } from './parse.ts'
import type { Plan } from './plan.ts'
import { isOurs, type Json, readValue } from './settings-value.ts'
import { type Edit, splice, unsplice } from './splice.ts'
import { withoutTables } from './tables.ts'

interface RemovalRequest {
  /** The file's name in messages. */
  path: string
  shape: HookLayout
  /** What `init` recorded about this file, oldest first. */
  records: readonly BackupRecord[]
  /** The text from before the oldest record; undefined where it is not known, '' where there was no file. */
  original: string | undefined
  header?: Readonly<Record<string, unknown>> | undefined
}

export interface Removal extends Plan {
  /** Whether the text is, byte for byte, what was there before `init`. */
  isExact: boolean
  /** Whether nothing is left of a file that `init` created. */
  isGone: boolean
}

/**
 * Removes all our hooks from a settings file. If the file has not changed since `init`, the old bytes come back;
 * otherwise only our entries are removed, and the objects and arrays that were made for them.
 * @throws HookbellError `E_SETTINGS` for a file that is damaged, ambiguous or of another form
 */
export function planRemoval(text: string, request: RemovalRequest): Removal {
  const refuse = refuseAt(request.path, text)
  const undone = undo(text, request.records)
  const start = undone?.text ?? text
  const after = removeAll(start, request, refuse)
  const isExact = undone !== undefined && after === start
  const isNew = undone ? undone.isNew : request.original === ''
  if (!isExact) verifyRemoval(start, after, request)
  return {
    text: after,
    changed: after !== text,
    spans: spanBetween(text, after),
    shape: request.shape,
    isExact,
    isGone: isNew && (isExact || isWithoutContent(after, request.header)),
  }
}

/** The same for the tables of a TOML file. */
export function planTablesRemoval(text: string, request: Omit<RemovalRequest, 'shape'>): Removal {
  const undone = undo(text, request.records)
  const start = undone?.text ?? text
  const after = withoutTables(request.path, start)
  const isExact = undone !== undefined && after === start
  const isNew = undone ? undone.isNew : request.original === ''
  const changed = after !== text
  const spans = spanBetween(text, after)
  return {
    text: after,
    changed,
    spans,
    shape: 'bare',
    isExact,
    isGone: isNew && after.trim() === '',
  }
}

/** Undoes our edits, if the file has not changed since the last one. */
function undo(text: string, records: readonly BackupRecord[]) {
  const hash = sha256(text)
  const record = records.findLast(({ after }) => after === hash)
  if (!record) return undefined
  const old = record.edits.reduceRight(unsplice, text)
  const isNew = record.before === null
  return sha256(old) === (record.before ?? sha256('')) ? { text: old, isNew } : undefined
}

/** Removes one hook at a time, with what would be empty without it, and parses the text again after each. */
function removeAll(text: string, request: RemovalRequest, refuse: Refuse): string {
  const original = readValue(request.original ?? '')
  const isKnown = request.original !== undefined
  for (let rest = text; ; ) {
    const root = parseSettings(rest, refuse)
    const map = readEventMap(root, { shape: request.shape, entries: 'flat' }, refuse)
    const found = [...map.events].find(([, { ours }]) => ours.length > 0)
    if (!root || !found) return rest
    const [name, { node, ours }] = found
    const [hook] = ours
    const entry = node.children?.find((item) => item === hook || contains(item, hook))
    if (!hook || !entry) return rest
    const old = map.shape === 'bare' ? original : Object(original.hooks)
    const keepsEvent = isKnown && Object.hasOwn(old, name) && !holdsOurs(old[name])
    const keepsMap =
      map.shape === 'bare' ||
      (isKnown && Object.hasOwn(original, 'hooks') && !Object.values(old).some(holdsOurs))
    rest = takeOutWithEmpty(rest, [
      ...(keepsMap || !map.node ? [] : [[root, parentOf(root, map.node)] as const]),
      ...(keepsEvent || !map.node ? [] : [[map.node, parentOf(map.node, node)] as const]),
      [node, entry],
      ...(entry === hook ? [] : [[property(entry, 'hooks') as Node, hook] as const]),
    ])
  }
}

/** Removes the outermost container that would be empty without the hook, unless somebody's comments are in it. */
function takeOutWithEmpty(text: string, path: (readonly [Node, Node])[]): string {
  const [, hook] = path.at(-1) as readonly [Node, Node]
  for (const [index, [container, item]] of path.entries()) {
    const isOnlyChild = path.slice(index + 1).every(([inner]) => inner.children?.length === 1)
    if (isOnlyChild && !hasComment(text, item, hook)) return takeOut(text, container, item)
  }
  return text
}

/** Whether `outer` has a comment that is not inside `inner`. */
function hasComment(text: string, outer: Node, inner: Node): boolean {
  const end = inner.offset + inner.length
  const between =
    text.slice(outer.offset, inner.offset) + text.slice(end, outer.offset + outer.length)
  return /\/[/*]/.test(between.replace(/"(?:[^"\\]|\\.)*"/g, ''))
}

function contains(entry: Node, hook: Node | undefined): boolean {
  return hook !== undefined && (property(entry, 'hooks')?.children?.includes(hook) ?? false)
}

/** The member of an object whose value this is. */
function parentOf(object: Node, value: Node): Node {
  return object.children?.find(({ children }) => children?.[1] === value) ?? value
}

function spanBetween(before: string, after: string) {
  if (before === after) return []
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start += 1
  let end = 0
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const removed = before.slice(start, before.length - end)
  return [{ offset: start, length: after.length - end - start, removed }]
}

/**
 * Checks a text without our hooks before it is written, on values instead of on the tree that it was planned with.
 * What it finds is a bug of ours, so it throws a plain error.
 */
export function verifyRemoval(
  before: string,
  after: string,
  { shape }: { shape: HookLayout },
): void {
  const [old, now] = [readValue(before), readValue(after)]
  if (!isDeepStrictEqual(pruned(now, shape), pruned(old, shape)))
    throw new Error('refusing to write the settings: something that is not ours would be lost')
  if (hasOurs(now, shape)) throw new Error('refusing to write the settings: a hook of ours is left')
}

/** Whether a file has nothing but the header that all files of its kind have. Comments count as content. */
export function isWithoutContent(text: string, header: Readonly<Json> = {}): boolean {
  if (/\/[/*]/.test(text)) return false
  const { hooks, ...rest } = readValue(text)
  const isEmpty = hooks === undefined || isDeepStrictEqual(hooks, {})
  return isEmpty && (Object.keys(rest).length === 0 || isDeepStrictEqual(rest, header))
}

/** The settings without our hooks, and without empty lists, which mean the same as missing ones. */
function pruned(root: Json, shape: HookLayout): Json {
  const { hooks, ...rest } = root
  const isBare = shape === 'bare' && typeof hooks !== 'object'
  const map = Object.entries(isBare ? root : Object(hooks)).map(([name, items]) => [
    name,
    Array.isArray(items) ? items.flatMap(withoutOurs) : items,
  ])
  const filled = map.filter(([, items]) => !Array.isArray(items) || items.length > 0)
  return { rest: isBare ? {} : rest, map: filled }
}

function withoutOurs(item: Json): Json[] {
  if (isOurs(item)) return []
  if (!Array.isArray(item?.hooks)) return [item]
  const hooks = item.hooks.filter((hook) => !isOurs(hook))
  // An empty group may have been kept because of a comment in it.
  return hooks.length === 0 ? [] : [{ ...item, hooks }]
}

function hasOurs(root: Json, shape: HookLayout): boolean {
  const map = shape === 'bare' && typeof root.hooks !== 'object' ? root : Object(root.hooks)
  return Object.values(map).some(holdsOurs)
}

/** Whether a list of entries has a hook of ours in it. */
function holdsOurs(items: unknown): boolean {
  if (!Array.isArray(items)) return false
  return items.flatMap((item) => (Array.isArray(item?.hooks) ? item.hooks : [item])).some(isOurs)
}

/**
 * The text without one item of an array or one member of an object, and without the comma that it needed.
 * Comments stay: what we write has none, so they are somebody else's.
 */
function takeOut(text: string, container: Node, item: Node): string {
  const siblings = container.children ?? []
  const at = siblings.indexOf(item)
  const end = item.offset + item.length
  const isLast = at === siblings.length - 1
  const close = container.offset + container.length - 1
  const until = siblings[at + 1]?.offset ?? close
  const comma = findComma(text, end, until)
  if (!isLast && comma !== undefined) {
    const next = comma + 1 + spaceAfter(text, comma + 1)
    return splice(text, [cut(item.offset, end), cut(comma, next)]).text
  }
  const before = siblings[at - 1]
  const edits = [cut(startOfSpace(text, container, item), end)]
  if (comma !== undefined) edits.push(cut(comma, comma + 1))
  else if (before) {
    const old = findComma(text, before.offset + before.length, item.offset)
    if (old !== undefined) edits.unshift(cut(old, old + 1))
  }
  const { text: rest } = splice(text, edits)
  return before ? rest : closeUp(rest, container.offset)
}

/** Space before the last item goes too, unless a line comment would swallow what follows. */
function startOfSpace(text: string, container: Node, item: Node): number {
  const start = container.offset + 1
  const space = /\s*$/.exec(text.slice(start, item.offset))?.[0] ?? ''
  const from = item.offset - space.length
  const isLineOpen = /\/\/[^\r\n]*$/.test(text.slice(start, from))
  const isLineEnded = /^[ \t]*[\r\n]/.test(text.slice(item.offset + item.length))
  return isLineOpen && !isLineEnded ? item.offset : from
}

/** Removes the space inside a container that has become empty. */
function closeUp(text: string, open: number): string {
  const space = /^\s*(?=[\]}])/.exec(text.slice(open + 1))?.[0]
  return space ? text.slice(0, open + 1) + text.slice(open + 1 + space.length) : text
}

function spaceAfter(text: string, offset: number): number {
  return /^\s*/.exec(text.slice(offset))?.[0].length ?? 0
}

// The package's enum exists at compile time only.
const commaToken = 5 as SyntaxKind.CommaToken

function findComma(text: string, from: number, until: number): number | undefined {
  const scanner = createScanner(text)
  scanner.setPosition(from)
  for (let token = scanner.scan(); scanner.getTokenOffset() < until; token = scanner.scan()) {
    if (token === commaToken) return scanner.getTokenOffset()
  }
  return undefined
}

function cut(from: number, until: number): Edit {
  return { offset: from, length: until - from, text: '' }
}
