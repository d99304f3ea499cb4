import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { noiseRules } from '../../src/config/schema/noise.ts'
import { makeHome, root } from '../support/home.ts'

/** The Redis of the hub and the credentials. */
export interface HubSettings {
  url: string
  password?: string
  ca?: string
}

interface Place {
  /** Words before a command line that run it in another environment, such as a network namespace. */
  prefix?: readonly string[]
  env?: NodeJS.ProcessEnv
}

const quick = { firstDelaySeconds: 0.1, maxDelaySeconds: 0.5 }
const [node, cli] = [process.execPath, join(root, 'bin/hookbell')]

/** A computer whose agents use only channels of the hub. Each project is routed to the channel of the same name. */
export async function makeMachine(
  hub: HubSettings,
  channels: readonly string[],
  place: Place = {},
  more: object = {},
) {
  const home = await makeHome({
    ...more,
    hub: { ...hub, channels },
    channels: {},
    routes: channels.map((name) => ({ on: ['*'], when: { project: [name] }, to: [name] })),
    noise: { minSeconds: 0, off: noiseRules },
    retry: quick,
  })
  const start = (...words: string[]) => startProcess([node, cli, ...words], home.env, place)
  // A client waits for its hook, so no two events of a session have the same millisecond.
  let acceptedAt = Date.now() - 60_000
  const accept = (event: object) => {
    const id = home.accept(event, 'claude')
    acceptedAt += 1
    const path = join(home.env.HOOKBELL_STATE_DIR, 'spool/new', id)
    try {
      utimesSync(path, acceptedAt / 1000, acceptedAt / 1000)
    } catch {
      // A running worker has already claimed the file.
    }
    return id
  }
  return {
    ...{ ...home, cli, start },
    /** Starts any program on that computer. */
    startAny: (words: readonly string[]) => startProcess(words, home.env, place),
    /** @returns the id of the event */
    finish: (channel: string, session: string, text: string) =>
      accept({
        ...{ hook_event_name: 'Stop', session_id: session },
        ...{ cwd: `/srv/${channel}`, last_assistant_message: text },
      }),
    ask: (channel: string, session: string, text: string) =>
      accept({
        ...{ hook_event_name: 'Notification', notification_type: 'permission_prompt' },
        ...{ session_id: session, cwd: `/srv/${channel}`, message: text },
      }),
    /** @returns what `hookbell drain` printed, and its exit code */
    async drain(timeout = '1h') {
      const child = start('drain', '--timeout', timeout)
      const exitCode = await child.exited
      return { exitCode, output: child.output() }
    },
  }
}

export type Machine = Awaited<ReturnType<typeof makeMachine>>

interface Line {
  at: number
  state: string
  id: string
  [key: string]: unknown
}

/** Starts `hookbell hub` in its own process and waits until it is ready. Killed at the end of the test. */
export async function startHubProcess(hub: HubSettings, channels: object, place: Place = {}) {
  const child = await launchHub(hub, channels, place)
  await expect.poll(child.output).toContain('"ready"')
  return child
}

/** Like `startHubProcess`, but does not wait until the hub is ready. @param options of the command */
export async function launchHub(
  hub: HubSettings,
  channels: object,
  { options = [], ...place }: Place & { options?: readonly string[] } = {},
) {
  const home = await makeHome({ hub, channels, retry: quick })
  const child = startProcess([node, cli, 'hub', ...options], home.env, place)
  const lines = () =>
    child
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as Line)
  return { ...child, ...{ home, lines } }
}

export type HubProcess = Awaited<ReturnType<typeof startHubProcess>>

function startProcess(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  { prefix = [], env: more }: Place,
) {
  const [program = '', ...rest] = [...prefix, ...words]
  const child: ChildProcess = spawn(program, rest, {
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  const exited = once(child, 'close').then(([code]) => code as number | null)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal)
    await exited
  }
  return { child, output: () => output, exited, kill }
}
