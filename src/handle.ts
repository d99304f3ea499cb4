import { describeError } from './errors.ts'
import type { AgentEvent } from './event/event.ts'
import {
  enrich,
  judge,
  parse,
  type Rendered,
  type Rules,
  type RulesOptions,
  readRules,
  render,
  route,
  type Source,
  send,
} from './stages.ts'

export interface HandleOptions extends RulesOptions, Source {
  /** What `readRules` gave, for all events of a program: the rules remember earlier ones. Then the settings above have no effect. */
  rules?: Rules
  /** Whether messages are sent. Default: true. */
  sends?: boolean
}

/** A message, and what became of it. */
export type Handled = Pick<Rendered, 'channel' | 'message'> &
  (
    | { state: 'delivered'; answer: string }
    | { state: 'failed'; error: unknown; why: string }
    | { state: 'held'; until: number; why: string }
    | { state: 'not sent' }
  )

export interface HandledEvent {
  event: AgentEvent
  /** The messages that the event causes; none if the rules suppress it. */
  messages: Handled[]
  /** The channels that do not get it, each with the reason. */
  suppressed: { channel: string; reason: string }[]
}

/**
 * Takes an event through all stages, and sends its messages once, at the same time. A channel that fails stops no other.
 * @throws HookbellError E_EVENT, E_CONFIG
 */
export async function handle(payload: object, options: HandleOptions = {}): Promise<HandledEvent> {
  const { rules = readRules(options), sends = true } = options
  const event = await enrich(parse(payload, rules, options))
  const judged = judge(route(event, rules), rules)
  const rendered = await render(judged, rules)
  const suppressed = judged.verdicts.filter(({ type }) => type === 'suppress')
  return {
    event: judged.event,
    messages: await Promise.all(rendered.map((one) => finish(one, rules, sends))),
    suppressed: suppressed.map(({ channel, reason }) => ({ channel, reason })),
  }
}

async function finish(one: Rendered, rules: Rules, sends: boolean): Promise<Handled> {
  const { channel, message, held } = one
  if (held) return { channel, message, state: 'held', until: held.until, why: held.reason }
  if (!sends) return { channel, message, state: 'not sent' }
  try {
    return { channel, message, state: 'delivered', answer: await send(one, rules) }
  } catch (error) {
    return { channel, message, state: 'failed', error, why: describeError(error) }
  }
}
