import type { Message } from '../../api/index.ts'
import { paint } from '../../cli/output.ts'
import { cutText } from '../../text/clean.ts'
import { fieldsOf } from './fields.ts'
import { linesOf } from './message-lines.ts'

/**
 * Shows the tool calls of the agent while the user waits. They go to stderr, since only the answer belongs to
 * stdout. Undefined if stderr is not a terminal.
 */
export function makeFollower() {
  const stream = process.stderr
  if (!stream.isTTY) return undefined
  const tell = (text: string) =>
    stream.write(`${paint('dim', cutText(text, stream.columns || 80))}\n`)
  const told = new Set<string>()
  tell('Waiting for the agent. Ctrl+C ends the waiting, not its work.')
  return ({ messages }: { messages: readonly Message[] }) => {
    for (const message of messages.filter(({ id }) => !told.has(id))) {
      told.add(message.id)
      for (const { text } of linesOf(fieldsOf(message)).filter(isCall)) tell(text)
    }
  }
}

function isCall({ text, isAside }: { text: string; isAside: boolean }): boolean {
  return isAside && text.startsWith('> ')
}
