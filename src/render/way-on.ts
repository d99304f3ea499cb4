import { findClient } from '../clients/index.ts'
import type { EnrichedEvent } from '../context/enrich.ts'
import type { Kind } from '../event/kind.ts'
import { redact } from '../text/redact/redact.ts'
import { quoteWord } from '../text/shell.ts'

/** Longer than any folder that a person types. What is longer could be cut on its way. */
const MAX_FOLDER = 120
const endings: readonly Kind[] = ['ended', 'abnormal-end']
/** After these the agent waits for its person, or is over. A question is answered where it is asked. */
const restings: readonly Kind[] = ['done', 'waiting', 'failed', ...endings]

/**
 * The command that answers the session or goes on with it, as one line to paste into a shell; '' if there is none. The id and
 * the folder come from the payload: the id is put into it only if it is a plain word, the folder only in quotes.
 */
export function wayOn(event: EnrichedEvent, id: string, secrets: readonly string[]): string {
  const { client, kind, agentId, parentSessionId, isOfSubagent } = event
  const { repliesThroughApi, resume } = findClient(client) ?? {}
  if (!/^\w[\w.-]{0,127}$/.test(id)) return ''
  if (repliesThroughApi && !endings.includes(kind)) return `hookbell reply ${id} "…"`
  const isOfAgent = agentId !== '' || parentSessionId !== '' || isOfSubagent === true
  if (!resume || isOfAgent || !restings.includes(kind)) return ''
  const command = resume.replace('*', id)
  return isPlainFolder(event.cwd, secrets) ? `cd ${quoteWord(event.cwd)} && ${command}` : command
}

/** Whether every receiver shows the path as it is: without marks, line ends, spaces in a row and characters that nobody sees. */
function isPlainFolder(path: string, secrets: readonly string[]): boolean {
  if (!path.startsWith('/') || path.length > MAX_FOLDER) return false
  return !/[`\p{C}\p{Zl}\p{Zp}]|\s\s|[^\S ]|\s$/u.test(path) && redact(path, secrets) === path
}
