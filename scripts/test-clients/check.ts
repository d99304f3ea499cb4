import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent } from './agents.ts'
import { startModelServer } from './model-server.ts'

/** Only ends what hangs; nothing here checks speed. */
const GIVE_UP_MS = 60_000

const QUESTION = 'Which colour should the door have?'
const ANSWER = `The door is painted. ${QUESTION}`

interface DeliveredEvent {
  event: string
  kind: string
  sessionId?: string
  client?: string
  cwd?: string
  title: string
  body: string
}

/** Runs one agent and returns what was wrong; empty if all is well. */
export async function check(
  agent: Agent,
  { command, words }: { command: string; words: string[] },
) {
  const home = mkdtempSync(join(tmpdir(), `agent-${agent.name}-`))
  const model = await startModelServer(ANSWER)
  const slow = await startSlowReceiver()
  const project = join(home, 'paint-shop')
  const file = join(home, 'events.jsonl')
  const env = { PATH: process.env.PATH, HOME: home, TERM: 'dumb', ...agent.env(model.url) }
  const failures: string[] = []
  const expect = (isTrue: boolean, otherwise: string) => void (isTrue || failures.push(otherwise))
  let child: ChildProcessByStdio<null, Readable, Readable> | undefined
  try {
    mkdirSync(join(project, '.git'), { recursive: true })
    writeConfig(home, file, slow.url)
    agent.prepare?.(home, model.url)
    await run('node', ['bin/hookbell', 'init', '--client', agent.name, '--yes'], env)

    child = spawn(command, [...words, ...agent.words('Please paint the door')], {
      env: { ...env, PATH: `${join(command, '..')}:${env.PATH}` },
      cwd: project,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [output, errors, [code]] = await Promise.race([
      Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]),
      sleep(GIVE_UP_MS, undefined, { ref: false }).then(() => {
        throw new Error(
          `it did not end; the model was asked ${model.asked.join(', ') || 'nothing'}`,
        )
      }),
    ])
    const seen = `\n${output}${errors}\nasked: ${[...new Set(model.asked)].join(', ')}`
    expect(code === 0, `it ended with ${code}: ${seen}`)
    expect(output.includes(ANSWER), `it did not print what the model said: ${seen}`)
    // An agent may name its own folder, which is in the cache of these tests.
    const isSeen = /hookbell(?!-test-clients)|hook system message/i.test(output + errors)
    expect(!isSeen, `our hooks are seen: ${seen}`)
    // This channel has not answered yet: an agent that waited for deliveries would not have ended.
    expect(slow.answered() === 0, 'a delivery was settled before the agent had ended')

    const events = await waitForEvents(file, agent.events.length)
    slow.release()
    expect(
      `${events.map(({ event }) => event)}` === `${agent.events}`,
      `delivered ${events.map(({ event }) => event)} instead of ${agent.events}`,
    )
    expect(
      events.every((one) => one.client === agent.name && one.cwd === project),
      `wrong client or folder: ${JSON.stringify(events)}`,
    )
    expect(
      Boolean(events[0]?.sessionId) && new Set(events.map(({ sessionId }) => sessionId)).size === 1,
      'the session differs between the events',
    )
    const done = events.filter(({ kind }) => kind === 'done')
    expect(
      done.length === 1 && `${done[0]?.title} ${done[0]?.body}`.includes(QUESTION),
      `the question was not delivered exactly once: ${JSON.stringify(done)}`,
    )
  } catch (error) {
    failures.push(error instanceof Error ? error.message : String(error))
  } finally {
    child?.kill('SIGKILL')
    model.close()
    slow.release()
    // Ends the worker, which would otherwise write into the home while it is removed.
    await run('node', ['bin/hookbell', 'uninstall', '--purge', '--yes'], env).catch(() => {})
    slow.close()
    if (failures.length === 0 || !process.env.HOOKBELL_KEEP)
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    else failures.push(`kept: ${home}`)
  }
  return failures
}

function writeConfig(home: string, file: string, url: string) {
  const folder = join(home, '.config/hookbell')
  mkdirSync(folder, { recursive: true })
  const config = {
    channels: { record: { type: 'file', path: file }, slow: { type: 'webhook', url } },
    routes: [{ on: ['*'], to: ['record', 'slow'] }],
    lingerSeconds: 1,
  }
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
}

/** A receiver that answers nothing until it is released. */
async function startSlowReceiver() {
  const waiting: ServerResponse[] = []
  let isReleased = false
  let answered = 0
  const answer = (response: ServerResponse) => {
    answered += 1
    response.end()
  }
  const server = createServer((request, response) => {
    request.resume()
    if (isReleased) answer(response)
    else waiting.push(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    answered: () => answered,
    release() {
      isReleased = true
      for (const response of waiting.splice(0)) answer(response)
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function waitForEvents(file: string, count: number): Promise<DeliveredEvent[]> {
  const until = Date.now() + GIVE_UP_MS
  for (;;) {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
    // Notifications of the kind `other`, such as that a client has found its key, are not delivered by default.
    const events = lines
      .map((line) => JSON.parse(line) as DeliveredEvent)
      .filter(({ event, kind }) => event !== 'Notification' || kind !== 'other')
    if (events.length >= count || Date.now() > until) return events
    await sleep(100)
  }
}

function run(command: string, words: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  return new Promise((settle, fail) => {
    execFile(command, words, { env, cwd: resolve('.') }, (error, output, errors) =>
      error ? fail(new Error(`${words.join(' ')}: ${output}${errors}`)) : settle(),
    )
  })
}
