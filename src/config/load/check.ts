import type { Node } from 'jsonc-parser'
import { HookbellError } from '../../errors.ts'
import { valueAt } from '../../text/zod-issue.ts'
import { configSchema, type Parsed } from '../schema/schema.ts'
import { referencesIn } from '../secrets/secrets.ts'
import type { Filled } from './fill.ts'
import { faultInHub, withPathInFile } from './hub.ts'
import { type Fault, firstFault } from './issue.ts'
import { faultInNames, faultInTwins } from './name-faults.ts'
import { locate } from './position.ts'
import { faultInWaiting } from './waiting.ts'

/** A configuration as it was read. */
export interface Source {
  /** The file's path, for error messages. */
  path: string
  text: string
  tree: Node
  raw: Record<string, unknown>
  /** Templates that a route can name; if absent, any name is accepted. */
  templates?: readonly string[] | undefined
  /** An earlier version may have accepted it, which allowed more: it stays in force. */
  isLastGood?: boolean | undefined
}

/** Validates a configuration whose references are filled in. @throws HookbellError E_CONFIG */
export function check(filled: Filled, source: Source): Parsed {
  const { fault: faultOfDirect } = filled.direct
  if (faultOfDirect) throw toError(faultOfDirect, source)
  // `jitless`: for a single run, compiling the schemas takes longer than interpreting them.
  const { data, error } = configSchema.safeParse(filled.settings, { jitless: true })
  const fault = error ? firstFault(error.issues, filled.settings) : faultIn(data, filled, source)
  if (fault) throw toError(withPathInFile(fault, source.raw), source)
  return data as Parsed
}

/** Finds what no schema can: a fault that depends on several parts of the configuration. */
function faultIn(
  parsed: Parsed,
  { waiting }: Filled,
  { raw, templates, isLastGood }: Source,
): Fault | undefined {
  const channels = [...Object.keys(parsed.channels), ...Object.keys(waiting)]
  return (
    faultInHub(raw) ??
    faultInWaiting(waiting) ??
    faultInNames(parsed, { channels, templates }) ??
    (isLastGood ? undefined : faultInTwins(channels))
  )
}

function toError({ path: where, what, ...own }: Fault, { path, text, tree, raw }: Source) {
  const field = where.length > 0 ? `${where.join('.')}: ` : ''
  const [reference] = referencesIn(valueAt(raw, where))
  const value = reference === undefined ? '' : ` (with the value of \${${reference}})`
  const message = `${path}:${locate(text, { tree, path: where })}: ${field}${what}${value}`
  const hint =
    reference === undefined ? own.hint : `Set it again: hookbell secrets set ${reference}`
  return new HookbellError('E_CONFIG', message, hint ? { hint } : {})
}
