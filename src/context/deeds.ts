import { isPayload, textOf } from '../event/payload.ts'
import { commandIn, pathIn } from '../event/tool-input.ts'
import { startOf } from '../text/clean.ts'

/** Messages truncate further. */
const MAX_TEXT = 500

/** What an agent did in a turn. */
export interface Deeds {
  /** How often each tool was used, in the order of their first use. */
  tools: Readonly<Record<string, number>>
  /** Files that were written or changed. */
  files: readonly string[]
  commands: readonly string[]
}

interface Call {
  name: string
  input: unknown
}

const CHANGES = /^(write|edit|multi_?edit|create|replace|apply_?patch|notebook_?edit|str_replace)/i

/**
 * Lists everything, because the counts are shown. Only the part of the transcript that is read limits how much that is.
 */
export function deedsOf(calls: readonly Call[]): Deeds {
  const tools = new Map<string, number>()
  const files = new Set<string>()
  const commands = new Set<string>()
  for (const { name, input } of calls) {
    if (name) tools.set(name, (tools.get(name) ?? 0) + 1)
    for (const file of CHANGES.test(name) ? filesOf(input) : []) files.add(short(file))
    const command = isPayload(input) ? commandIn(input) : ''
    if (command) commands.add(short(command))
  }
  return { tools: Object.fromEntries(tools), files: [...files], commands: [...commands] }
}

function short(text: string): string {
  return startOf(text, MAX_TEXT)
}

function filesOf(input: unknown): string[] {
  if (!isPayload(input)) return []
  const path = pathIn(input)
  if (path) return [path]
  const patch = textOf(input, 'input', 'patch', 'diff')
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, file = '']) =>
    file.trim(),
  )
}
