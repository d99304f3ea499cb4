import * as fc from 'fast-check'
import type { EnrichedEvent } from '../../src/context/enrich.ts'
import { asksAtEnd } from '../../src/event/headline.ts'
import { meaningOf } from '../../src/event/meaning.ts'
import { parsePayload } from '../support/payload.ts'

const start = Date.parse('2026-11-20T09:00:00Z')

const word = fc.constantFrom('', 'one', 'two')
const sessions = fc.constantFrom('s1', 's2')

const payload = fc.oneof(
  fc.record({ hook_event_name: fc.constant('UserPromptSubmit'), prompt: fc.constant('Go') }),
  fc.record({
    hook_event_name: fc.constant('Stop'),
    background_tasks: fc.array(fc.constant({}), { maxLength: 2 }),
    turn_id: word,
    last_assistant_message: fc.constantFrom('Done.', 'Shall I go on?'),
  }),
  fc.record({ hook_event_name: fc.constantFrom('StopFailure', 'Interrupt', 'SubagentStop') }),
  fc.record({
    hook_event_name: fc.constant('SessionEnd'),
    reason: fc.constantFrom('other', 'error', 'exit'),
  }),
  fc.record({
    hook_event_name: fc.constant('Notification'),
    notification_type: fc.constantFrom('idle_prompt', 'permission_prompt', 'auth_success'),
  }),
  fc.record({
    hook_event_name: fc.constantFrom('PermissionRequest', 'PreToolUse'),
    tool_name: fc.constant('Bash'),
    tool_use_id: word,
  }),
  fc.record({ hook_event_name: fc.constant('permission.replied') }),
)

const step = fc.record({
  // Often simultaneous or in one burst, sometimes much later.
  afterMs: fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 3_600_000 })),
  client: fc.constantFrom('claude', 'codex', 'qwen', 'gemini', 'opencode', 'droid'),
  session_id: sessions,
  payload,
  isAtTerminal: fc.constantFrom(undefined, true, false),
})

/** Arbitrary events of a few sessions, ordered by time. */
export const timelines: fc.Arbitrary<EnrichedEvent[]> = fc
  .array(step, { maxLength: 25 })
  .map((steps) => {
    let at = start
    return steps.map(({ afterMs, client, session_id, payload: fields, isAtTerminal }, index) => {
      at += afterMs
      const event = parsePayload({ session_id, cwd: '/srv/shop', ...fields }, { client, at })
      const id = `event-${index}`
      const did = { tools: {}, files: [], commands: [] }
      const none = { branch: '', title: '', firstPrompt: '', tokens: undefined, did }
      const asks = asksAtEnd(event.lastMessage)
      return { ...event, id, project: 'shop', isAtTerminal, asks, ...none }
    })
  })

/**
 * The turns of its session that may be delivered instead of this event under other rules: for a turn, the
 * later ones; for a notice that the agent waits, and for the end of the session, the earlier ones.
 */
export function turnsInstead(events: readonly EnrichedEvent[], id: string): string[] {
  const event = events.find((one) => one.id === id)
  const isAfter = /^(waiting|ended|abnormal-end)$/.test(event?.kind ?? '')
  const sign = event?.kind === 'done' ? 1 : isAfter ? -1 : 0
  return events
    .filter(({ client, sessionId }) => client === event?.client && sessionId === event.sessionId)
    .filter((one) => sign * (one.at - (event?.at ?? 0)) > 0 || (isAfter && one.at === event?.at))
    .filter((one) => one.id !== id && meaningOf(one).isTurnEnd)
    .map((one) => one.id)
}
