import { findClient } from '../clients/index.ts'
import type { Config, Route } from '../config/schema/schema.ts'
import { afterMs, stepsOf } from '../config/schema/steps.ts'
import type { EnrichedEvent } from '../context/enrich.ts'
import type { Urgency } from '../delivery.ts'
import { type AgentEvent, type Kind, kindOrName } from '../event/event.ts'
import { CANARY_EVENT, type TraceStep } from '../journal/entry.ts'
import { repeatedChannel } from '../repeated-channel.ts'
import { conditionsOf, Patterns, type RouteDeps } from './conditions.ts'

interface RoutedChannel {
  channel: string
  urgency: Urgency
  /** The word in the route's `on` that matched. */
  on: string
  /** The template that the route names. */
  template?: string | undefined
  /** For a later step: how long after the event, in ms, and in words. */
  later?: { ms: number; because: string }
}

export interface Decision {
  /** Every channel once, in the order of the routes. */
  candidates: readonly RoutedChannel[]
  /** Why there are no candidates; absent otherwise. */
  suppress?: string
  /** Each route's verdict, and the condition that decided. */
  trace: readonly TraceStep[]
}

const urgencyOf: Record<Kind, Urgency> = {
  permission: 'critical',
  failed: 'critical',
  'abnormal-end': 'critical',
  waiting: 'normal',
  done: 'normal',
  'subagent-done': 'low',
  ended: 'low',
  other: 'low',
}

/** Chooses the channels for an event, or says why there are none. All matching routes count, each channel once. */
export function route(
  event: EnrichedEvent,
  { routes }: Pick<Config, 'routes'>,
  { patterns = new Patterns(), ...others }: RouteDeps,
): Decision {
  const deps = { ...others, patterns }
  const suppressed = whySuppressed(event)
  if (suppressed) return { candidates: [], suppress: suppressed, trace: [] }
  const chosen = new Map<string, RoutedChannel>()
  const trace: TraceStep[] = []
  for (const [index, one] of routes.entries()) {
    const { word, because } = match(one, event, deps)
    trace.push({ by: `route ${index + 1}`, verdict: word ? 'matched' : 'not matched', because })
    if (!word) continue
    const urgency = one.urgency ?? urgencyOf[event.kind]
    const { template } = one
    for (const routed of channelsOf(one, index)) {
      const before = chosen.get(routed.channel)
      // If two routes name the channel, the one that sends sooner wins.
      const isSooner = (before?.later?.ms ?? 0) > (routed.later?.ms ?? 0)
      if (before && !isSooner) continue
      chosen.set(routed.channel, { urgency, on: word, ...(template && { template }), ...routed })
    }
    if (one.stop) break
  }
  const candidates = [...chosen.values()]
  if (candidates.length > 0) return { candidates, trace }
  return { candidates, suppress: `no route for ${kindOrName(event.kind, event.name)}`, trace }
}

function whySuppressed(event: EnrichedEvent): string | undefined {
  if (event.name === CANARY_EVENT) return 'a test of the hooks by hookbell'
  return isSwitchedOff(event) ? `muted by ${switchOf(event)}` : undefined
}

/** Whether the client's own variable for that switches the notifications of its session off. */
export function isSwitchedOff(event: Pick<AgentEvent, 'client' | 'env'>): boolean {
  const name = switchOf(event)
  return name !== '' && /^(1|true|yes)$/i.test(event.env[name] ?? '')
}

/** The name of that variable; '' if the client has none. */
export function switchOf({ client }: Pick<AgentEvent, 'client'>): string {
  return findClient(client)?.switchedOffBy ?? ''
}

function channelsOf(one: Route, index: number): Pick<RoutedChannel, 'channel' | 'later'>[] {
  const steps = stepsOf(one)
  return steps.flatMap((step, number) => {
    const ms = afterMs(step)
    const because = `step ${number + 1} of route ${index + 1}: ${step.after} after the event, unless answered by then`
    return step.to.map((name) => {
      const time = steps.slice(0, number + 1).filter(({ to }) => to.includes(name)).length
      return { channel: repeatedChannel(name, time), ...(ms > 0 && { later: { ms, because } }) }
    })
  })
}

/** The decision for a channel that a person asked for by name: only that channel gets the event. */
export function routeTo(
  channel: string,
  event: AgentEvent,
): Decision & { candidates: readonly [RoutedChannel] } {
  return { candidates: [{ channel, urgency: urgencyOf[event.kind], on: '*' }], trace: [] }
}

/** @returns the word of `on` that matches, if the conditions hold too; and what decided */
function match(
  { on, when = {}, not = {} }: Route,
  event: EnrichedEvent,
  deps: RouteDeps,
): { word?: string; because: string } {
  const word = on.find((one) => one === '*' || one === event.name || one === event.kind)
  if (!word) return { because: `on: ${on.join(', ')}` }
  const wanted = conditionsOf(when, event, deps, true)
  const missing = wanted.find(({ holds }) => !holds)
  if (missing) return { because: `when ${missing.because}` }
  const unwanted = conditionsOf(not, event, deps, false).find(({ holds }) => holds)
  if (unwanted) return { because: `not ${unwanted.because}` }
  const because = [`on: ${word}`, ...wanted.map((one) => `when ${one.because}`)]
  return { word, because: because.join('; ') }
}
