import type { Node } from 'jsonc-parser'
import type { HookLayout } from '../../clients/define.ts'
import { sha256 } from '../../text/sha256.ts'
import type { BackupRecord } from '../backup.ts'
import { property, readEventMap } from './event-map.ts'
import { parseSettings, type Refuse, refuseAt } from './parse.ts'
import type { Plan } from './plan.ts'
import { readValue } from './settings-value.ts'
import { unsplice } from './splice.ts'
import { withoutTables } from './tables.ts'
import { takeOut } from './take-out.ts'
import { holdsOurs, isWithoutContent, verifyRemoval } from './verify-removal.ts'

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
  const around =
    text.slice(outer.offset, inner.offset) + text.slice(end, outer.offset + outer.length)
  return /\/[/*]/.test(around.replace(/"(?:[^"\\]|\\.)*"/g, ''))
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
