// Prints a line for each of your sessions that has waited for an answer for some minutes, to be sent on. In a crontab:
//
//   */10 * * * * node --import tsx remind-of-questions.ts 10 | while read -r line; do hookbell notify "$line"; done
import { createClient, fieldOf, type Message, textOf } from 'hookbell/api'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const [minutes = '10'] = process.argv.slice(2)
const client = createClient({ transport: 'https' })
for await (const session of client.beyond.sessions.list({ limit: 100 })) {
  const { sessionId, title = sessionId, updatedAt, sessionSettings } = session
  const waitedMs = Date.now() - updatedAt
  // What is older has been left alone on purpose.
  if (sessionSettings?.archivedAt || waitedMs < Number(minutes) * MINUTE || waitedMs > DAY) continue
  const messages = await client.sessions.messages.list({ sessionId, limit: 100 }).toArray()
  // The order of the list is not documented.
  messages.sort((one, other) => one.createdAt - other.createdAt)
  const question = questionOf(messages)
  if (!question) continue
  const line = `${title} has waited for ${Math.floor(waitedMs / MINUTE)} min: ${question}`
  // Titles and questions may have several lines.
  console.log(line.replaceAll(/\s+/g, ' '))
}
await client.close()

/** The question at the end of a session: that of a tool without a result, or a text with a question mark. */
function questionOf(messages: readonly Message[]): string | undefined {
  // Hooks add messages as well.
  const last = messages.filter(({ hookEventName }) => !hookEventName).at(-1)
  if (last?.role !== 'assistant') return undefined
  const asked = last.content
    .map((block) => (block.type === 'tool_use' ? fieldOf(block.input, 'question') : undefined))
    .find(Boolean)
  const text = textOf(last).trim()
  if (asked) return String(asked)
  return text.endsWith('?') ? text : undefined
}
