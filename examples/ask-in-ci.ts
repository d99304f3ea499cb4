// A step of a CI job: asks an agent and prints its answer. Fails if the agent fails, asks a question, or is not done in time.
//
//   node --import tsx ask-in-ci.ts COMPUTER_ID 'Why does the build of main fail?' [SECONDS]
import { createClient, fieldOf, isClientError, textOf } from 'hookbell/api'

const [computerId = '', text = '', seconds = '900'] = process.argv.slice(2)
const client = createClient({ transport: 'https' })
try {
  await ask()
} catch (error) {
  if (!isClientError(error)) throw error
  fail([error.message, error.hint].filter(Boolean).join('\n  '))
}
await client.close()

async function ask() {
  const { sessionId } = await client.sessions.create({ computerId })
  // For whoever looks into the failed job.
  console.error(`session ${sessionId}`)
  try {
    const deadlineMs = Number(seconds) * 1000
    const answers = await client.sessions.messages.addAndWait({ sessionId, text }, { deadlineMs })
    const last = answers.at(-1)
    console.log(textOf(last))
    if (last?.isError) fail('the agent ended with an error')
  } catch (error) {
    if (!isClientError(error) || error.kind !== 'timeout') throw error
    const question = await openQuestion(sessionId)
    fail(question ? `the agent asks: ${question}` : error.message)
    // Nobody waits for the answer any more.
    await client.beyond.sessions.interrupt({ sessionId })
  }
}

/** The question of a tool that has no result yet. */
async function openQuestion(sessionId: string) {
  const messages = await client.sessions.messages.list({ sessionId }).toArray()
  messages.sort((one, other) => one.createdAt - other.createdAt)
  const block = messages.at(-1)?.content.find(({ type }) => type === 'tool_use')
  return fieldOf(fieldOf(block, 'input'), 'question')
}

function fail(message: string) {
  console.error(message)
  process.exitCode = 1
}
