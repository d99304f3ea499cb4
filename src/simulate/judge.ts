import { parseConfig } from '../config/load/load.ts'
import type { Config } from '../config/schema/schema.ts'
import { beganIn } from '../context/project.ts'
import { asksAtEnd } from '../event/headline.ts'
import { parseEvent } from '../event/parse.ts'
import { isInside } from '../fs/links.ts'
import type { TraceStep } from '../journal/entry.ts'
import type { Mute } from '../policy/mutes.ts'
import { type Ping, Replay } from './replay.ts'

export interface JudgeOptions {
  /** The content of `config.json`. */
  config: object
  /** In the order in which they happen. */
  events: readonly JudgedPayload[]
  /** What is muted during all of the events. Default: nothing. */
  mutes?: readonly Mute[]
  /** The name of the machine, for routes that ask for it. */
  host?: string
}

export interface JudgedPayload {
  /** The JSON object that the agent client passes to its hook. */
  payload: object
  /** When the event happens, Unix ms or a date. */
  at: number | Date
  /** Default: the client that the payload shows. */
  client?: string
  /** The project and branch that hookbell would detect. Default: the name of the folder where the session began; no branch. */
  project?: string
  branch?: string
  /** The variables of the agent's session that the hook keeps. Default: none. */
  env?: Readonly<Record<string, string>>
}

export interface Judged {
  id: string
  kind: string
  /** What decided, in order: each route, then each channel with the rule that counted. */
  trace: readonly TraceStep[]
}

/**
 * Decides which messages some events would cause, to test a configuration: with the routes and rules of the worker, on the
 * clock of the events. Held messages are sent when they are due, without real waiting.
 * @returns one decision per event, and the messages in the order in which they are sent
 * @throws HookbellError E_CONFIG, E_EVENT
 */
export function judge({ config: settings, events, mutes = [], host = '' }: JudgeOptions): {
  decisions: Judged[]
  pings: Ping[]
} {
  const config = policyConfig(settings)
  const replay = new Replay(config, { host, mutes: () => mutes })
  for (const [
    index,
    { payload, at, client = 'unknown', env = {}, ...context },
  ] of events.entries()) {
    const accepted = {
      id: `event-${index + 1}`,
      at: Number(at),
      header: { client, env },
      body: Buffer.from(JSON.stringify(payload)),
      truncated: false,
    }
    const event = parseEvent(accepted, config.abnormalReasons)
    const began = beganIn(event, replay.memory.session(event)?.cwd)
    const cwd = isInside(event.cwd, began) ? event.cwd : began
    const { project = began.split(/[/\\]/).at(-1) ?? '', branch = '' } = context
    const unknown = { title: '', firstPrompt: '', tokens: undefined }
    const did = { tools: {}, files: [], commands: [] }
    const asks = asksAtEnd(event.lastMessage)
    replay.add({ found: { ...event, cwd, project, branch, asks, ...unknown, did } })
  }
  replay.end()
  const decisions = replay.entries.map(({ id, kind, trace = [] }) => ({ id, kind, trace }))
  return { decisions, pings: replay.pings }
}

/**
 * Parses the content of `config.json` into a configuration for decisions. It is not used to send, so the variables that
 * its channels refer to, such as `${SLACK_WEBHOOK_URL}`, need not be set.
 * @throws HookbellError E_CONFIG which says what is wrong, and where
 */
export function policyConfig(settings: object): Config {
  const text = JSON.stringify(settings, null, 2)
  return parseConfig(text, { path: 'config', secrets: { file: new Map(), env: {} } }).config
}
