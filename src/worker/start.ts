// The worker's entry point for the front door: runs main.ts from code that an earlier start compiled.
import { loadCompiled } from '../fs/compiled.ts'
import { isTrustedIfPresent } from '../fs/ownership.ts'
import { keepMemorySmall } from './keep-memory-small.ts'

/** By then all code of a start has run and is compiled, so it can be saved; on a busy machine a start takes seconds. */
const KEEP_AFTER_MS = 5000

type Load = (id: string) => unknown
type Worker = (
  load: Load,
  importPart: (id: string) => Promise<unknown>,
  path: string,
  keepCode: () => void,
) => void
type Part = (exports: object, load: Load, path: string) => unknown

const parts = new Map<string, unknown>()
/** Functions that save the compiled code; undefined once they have run. */
let keepers: (() => void)[] | undefined = []
requireTrusted(`${__dirname}/worker-code.cjs`)
const worker = loadKept('worker-code') as Worker
setTimeout(keepCode, KEEP_AFTER_MS).unref()
worker(load, importPart, __filename, keepCode)

/** Loads a part of the worker in a file of its own, or a package beside it. Rejects if it is missing. */
async function importPart(id: string): Promise<unknown> {
  return id.startsWith('./') ? load(id) : { default: require(id) }
}

/** Loads a part of the worker in a file of its own, or a module of Node.js. */
function load(id: string): unknown {
  // Through a variable, because a bundler would resolve a direct call of `require`.
  const loadModule = require
  if (!id.startsWith('./')) return loadModule(id)
  if (!parts.has(id)) requireTrustedPart(`${__dirname}/${id.slice(2)}`)
  const part = parts.get(id) ?? (loadKept(id.slice(2, -4)) as Part)({}, require, __filename)
  parts.set(id, part)
  return part
}

/** Whoever can write to its folder can replace it. */
function requireTrustedPart(path: string): void {
  requireTrusted(path.slice(0, path.lastIndexOf('/')))
  requireTrusted(path)
}

/**
 * The front door checks this file and its folder; another file may date from a time when others could write to the
 * folder.
 */
function requireTrusted(path: string): void {
  if (!isTrustedIfPresent(path)) throw new Error(`${path}: another user owns or can change it`)
}

function loadKept(name: string): unknown {
  const code = loadCompiled(`${__dirname}/${name}.cjs`, `${__dirname}/${name}.cache`)
  keepers?.push(code.keep)
  return code.value
}

/** Saves the code before the flags change: V8 accepts cached code only under the flags with which it was compiled. */
function keepCode() {
  for (const keep of keepers ?? []) keep()
  keepers = undefined
  keepMemorySmall()
}
