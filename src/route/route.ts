import type { Config, Route } from '../config/schema.ts'
import type { Urgency } from '../delivery.ts'
import type { AgentEvent } from '../event/event.ts'
import type { Kind } from '../event/kind.ts'
import type { TraceStep } from '../journal/entry.ts'

export interface Decision {
  /** Every channel once, in the order of the routes. */
  candidates: readonly { channel: string; urgency: Urgency }[]
  /** Why there are none; absent otherwise. */
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

/** Which channels an event is for, or why none. Every matching route counts, every channel once. */
export function route(event: AgentEvent, { routes }: Pick<Config, 'routes'>): Decision {
  if (/^(1|true|yes)$/i.test(event.env.DROID_DISABLE_NOTIFICATIONS ?? '')) {
    return { candidates: [], suppress: 'muted by DROID_DISABLE_NOTIFICATIONS', trace: [] }
  }
  const chosen = new Map<string, Urgency>()
  const trace: TraceStep[] = []
  for (const [index, one] of routes.entries()) {
    const word = wordThatMatches(one, event)
    const { on, to, urgency } = one
    const because = word ? `on: ${word}` : `on: ${on.join(', ')}`
    trace.push({ by: `route ${index + 1}`, verdict: word ? 'matched' : 'not matched', because })
    if (!word) continue
    for (const channel of to) {
      if (!chosen.has(channel)) chosen.set(channel, urgency ?? urgencyOf[event.kind])
    }
  }
  const candidates = [...chosen].map(([channel, urgency]) => ({ channel, urgency }))
  if (candidates.length > 0) return { candidates, trace }
  return { candidates, suppress: `no route for ${event.kind}`, trace }
}

/** A delivery that a person asked for by name goes to that channel alone. */
export function routeTo(channel: string, event: AgentEvent): Decision {
  return { candidates: [{ channel, urgency: urgencyOf[event.kind] }], trace: [] }
}

function wordThatMatches({ on }: Route, { name, kind }: AgentEvent): string | undefined {
  return on.find((word) => word === '*' || word === name || word === kind)
}
