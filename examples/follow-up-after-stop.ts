// A hook for the event Stop: runs the checks of the project and sends their output to the agent if they fail.
//
//   { "hooks": [{ "type": "command", "command": "node --import tsx follow-up-after-stop.ts npm test", "timeout": 300 }] }
import { execFile } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { createClient, textOf } from 'hookbell/api'

const OPENING = 'The checks failed after you stopped.'

// A hook must not disturb the agent: whatever happens here, it exits with 0.
await followUp().catch((error: unknown) => console.error(String(error)))

async function followUp() {
  const { session_id: sessionId, cwd } = JSON.parse(await text(process.stdin))
  const [program = 'npm', ...words] = process.argv.slice(2)
  const { failed, output } = await run(program, words.length > 0 ? words : ['test'], cwd)
  if (!failed) return

  const client = createClient()
  // Only once: the agent stops again after the follow-up, which would start an endless exchange.
  const messages = await client.sessions.messages.list({ sessionId, role: 'user' }).toArray()
  messages.sort((one, other) => one.createdAt - other.createdAt)
  const last = messages.at(-1)
  if (!last || !textOf(last).startsWith(OPENING)) {
    const lines = output.trim().split('\n').slice(-40).join('\n')
    await client.sessions.messages.add({ sessionId, text: `${OPENING}\n\n${lines}` })
  }
  await client.close()
}

function run(program: string, words: string[], cwd: string) {
  return new Promise<{ failed: boolean; output: string }>((resolve) => {
    execFile(program, words, { cwd, timeout: 240_000 }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, output: `${stdout}\n${stderr}` }),
    )
  })
}
