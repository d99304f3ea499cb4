// An agent loop of your own that tells Slack what needs you, by the rules and texts of hookbell, without its hooks.
//
//   SLACK_WEBHOOK_URL=https://hooks.slack.com/services/... node --import tsx slack-from-a-loop.ts
import { handle, readRules } from 'hookbell'

const { SLACK_WEBHOOK_URL = '' } = process.env
// One for all events: the rules remember what came before.
const rules = readRules({
  config: {
    channels: { team: { type: 'slack', url: SLACK_WEBHOOK_URL } },
    routes: [{ on: ['permission', 'done', 'failed'], to: ['team'] }],
    noise: { minSeconds: 60 },
  },
})

const session = { session_id: 'loop-1', cwd: process.cwd() }

async function tell(event: object) {
  const { messages, suppressed } = await handle(
    { ...session, ...event },
    { rules, client: 'my-agent' },
  )
  for (const { channel, message, ...end } of messages)
    console.log(`${channel}: ${message.title}: ${end.state}`, end.state === 'failed' ? end.why : '')
  for (const { channel, reason } of suppressed) console.log(`${channel}: not told: ${reason}`)
}

await tell({ hook_event_name: 'UserPromptSubmit', prompt: 'Make the tests green' })
await tell({
  hook_event_name: 'Notification',
  message: 'my-agent needs your permission to use Bash',
})
// The answer came at once: the turn is too short to tell of its end.
await tell({ hook_event_name: 'Stop', last_assistant_message: 'All green.' })
