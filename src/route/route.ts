import type { Config } from '../config/schema.ts'
import type { AgentEvent } from '../event/event.ts'
import type { Kind } from '../event/kind.ts'
import type { Urgency } from '../notifiers/define.ts'

export type Decision =
  | { deliver: readonly { channel: string; urgency: Urgency }[] }
  | { suppress: string; double?: string }

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

/** Which channels are told of an event, or why none is. Every matching route counts, every channel once. */
export function route(event: AgentEvent, { routes }: Pick<Config, 'routes'>): Decision {
  if (/^(1|true|yes)$/i.test(event.env.DROID_DISABLE_NOTIFICATIONS ?? '')) {
    return { suppress: 'muted by DROID_DISABLE_NOTIFICATIONS' }
  }
  const chosen = new Map<string, Urgency>()
  for (const { on, to, urgency } of routes) {
    if (!on.some((word) => word === '*' || word === event.name || word === event.kind)) continue
    for (const channel of to) {
      if (!chosen.has(channel)) chosen.set(channel, urgency ?? urgencyOf[event.kind])
    }
  }
  if (chosen.size === 0) return { suppress: `no route for ${event.kind}` }
  return { deliver: [...chosen].map(([channel, urgency]) => ({ channel, urgency })) }
}

/** A delivery that a person asked for by name goes to that channel alone. */
export function routeTo(channel: string, event: AgentEvent): Decision {
  return { deliver: [{ channel, urgency: urgencyOf[event.kind] }] }
}
