// A test of your own code with an agent that answers, asks, fails and hangs as a script says, without an account.
//
//   node --import tsx --test test-with-a-scripted-agent.ts
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Client,
  createClient,
  fieldOf,
  isClientError,
  type Message,
  textOf,
} from 'hookbell/api'
import { type SeedInput, startEmulator } from 'hookbell/emulator'

/** The code that is tested: gives an agent a task, answers its question with `reply`, and stops it after `timeMs`. */
async function run(client: Client, sessionId: string, task: string, reply: string, timeMs: number) {
  const signal = AbortSignal.timeout(timeMs)
  try {
    const first = await send(client, sessionId, task, signal)
    // The answer to a question is a message of its own.
    const last = questionOf(first) ? await send(client, sessionId, reply, signal) : first
    return `${last?.isError ? 'failed: ' : ''}${textOf(last)}`
  } catch (error) {
    if (!isClientError(error) || error.kind !== 'aborted') throw error
    await client.beyond.sessions.interrupt({ sessionId })
    return 'stopped'
  }
}

/** Sends a message, and returns the last one of the agent: an answer, an error, or the call of a tool that asks. */
async function send(client: Client, sessionId: string, text: string, signal: AbortSignal) {
  const { messages } = client.sessions
  const { messageId } = await messages.add({ sessionId, text })
  const input = { sessionId, after: messageId, endOnIdle: true, quietMs: 0, pollMs: 20, signal }
  let last: Message | undefined
  for await (const message of messages.watch(input)) {
    last = message
    if (questionOf(message)) break
  }
  return last
}

function questionOf(message: Message | undefined) {
  const call = message?.content.find(({ type }) => type === 'tool_use')
  return fieldOf(fieldOf(call, 'input'), 'question')
}

const script: SeedInput['agent'] = [
  { when: { text: 'deploy' }, ask: 'Which branch?' },
  { when: { text: 'main' }, tools: [{ name: 'Execute', result: 'ok' }], answer: 'Deployed {text}' },
  { when: { text: 'pay' }, fail: 'Out of credits' },
  { when: { text: 'loop' }, hang: true },
]

const cases = [
  { task: 'please deploy', expected: 'Deployed main', timeMs: 60_000 },
  { task: 'pay the bill', expected: 'failed: Out of credits', timeMs: 60_000 },
  { task: 'loop', expected: 'stopped', timeMs: 1000 },
]
for (const { task, expected, timeMs } of cases)
  test(`"${task}" ends with "${expected}"`, async () => {
    await using emulator = await startEmulator({ seed: { agent: script } })
    await using client = createClient(emulator.clientOptions)
    const { sessionId } = emulator
    assert.equal(await run(client, sessionId, task, 'main', timeMs), expected)
    const { status } = await client.beyond.sessions.get({ sessionId })
    assert.equal(status, 'idle')
  })
