import { goesOnAtOnce, isOwnTurn } from '../turns.ts'
import { defineRule, type Expected, type JudgeContext, type JudgedEvent, send } from '../types.ts'

const MINUTE_MS = 60_000
/** Few turns take longer: their agent would be reported as done while it works. */
const AT_ONCE_MS = 120 * MINUTE_MS
/** How late a client may go on, since it counts in whole minutes. */
const LATE_MS = 2 * MINUTE_MS
/** Its message that an agent is over may get lost. */
const AGENTS_MS = 10 * MINUTE_MS
/** A build may end soon, and its end is worth a message; a server runs on. */
const TASKS_MS = 5 * MINUTE_MS

/** What is expected to follow the end of a turn, and until when, Unix ms. */
interface Expectation {
  expects: Expected
  until: number
  reason: string
}

const nothing = { backgroundTasks: 0, backgroundAgents: 0 }

/**
 * Holds back the end of a turn after which the agent is expected to go on by itself: it is sent only if nothing follows
 * in time. A question is sent at once, since it waits for a person.
 */
export const goesOn = defineRule({
  name: 'goes-on',
  isNoise: true,
  judge(event, _, context) {
    if (event.kind !== 'done') return send
    const [longest] = expectations(event, context).sort((one, other) => other.until - one.until)
    return longest ? { type: 'hold', group: '', ...longest } : send
  },
})

function expectations(event: JudgedEvent, context: JudgeContext): Expectation[] {
  if (goesOnAtOnce(event)) return [atOnce(event, context)]
  if (event.asks) return []
  return [scheduled(event, context), background(event, context)].filter((one) => one !== undefined)
}

// If an event waited for the worker, the time counts from now: a later event that outdates it may be waiting too.

function atOnce({ means, at }: JudgedEvent, { now }: JudgeContext): Expectation {
  const why =
    means === 'StopRefused'
      ? 'a hook made the agent go on'
      : 'the agent went on with a prompt that was waiting'
  return { expects: 'turn', until: Math.max(at, now) + AT_ONCE_MS, reason: why }
}

/** What was scheduled before does not count at the end of a person's turn, and a one-shot run may end with its first one. */
function scheduled({ wakesAt, isHeadless }: JudgedEvent, { session }: JudgeContext) {
  if (wakesAt === undefined || isHeadless) return undefined
  const isOld = wakesAt === session?.turnEnd?.wakesAt && !isOwnTurn(session)
  const reason = 'the agent has scheduled when it goes on'
  return isOld ? undefined : ({ expects: 'turn', until: wakesAt + LATE_MS, reason } as const)
}

/**
 * What runs in the background. At the end of a person's turn only what that turn has started counts. At the end of one that the
 * client began, agents count, which continue the session when they are over, and if nothing is over, the task that may have
 * woken the agent and may do so again. Teammates are listed as long as the session lives, whatever they do.
 */
function background(event: JudgedEvent, { session, now }: JudgeContext): Expectation | undefined {
  const { at, isHeadless, backgroundTasks: tasks, backgroundAgents: agents = 0 } = event
  if (tasks === 0 || (isHeadless && agents === 0)) return undefined
  const before = session?.turnEnd ?? nothing
  const isOwn = session !== undefined && isOwnTurn(session)
  const from = Math.max(at, now)
  if (agents > before.backgroundAgents || (isOwn && agents > (event.backgroundTeammates ?? 0))) {
    const reason = `${count(agents, 'agent')} in the background`
    return { expects: 'turn', until: from + AGENTS_MS, reason }
  }
  const othersBefore = before.backgroundTasks - before.backgroundAgents
  const isExpected = isOwn ? tasks >= before.backgroundTasks : tasks - agents > othersBefore
  if (!isExpected) return undefined
  // Of the turns of a task that wakes the agent again and again, the last one in each of these times is told.
  const passed = isOwn ? (from - session.promptAt) % TASKS_MS : 0
  const reason = `${count(tasks, 'task')} in the background`
  return { expects: 'notice', until: from + TASKS_MS - passed, reason }
}

function count(number: number, what: string): string {
  return number === 1 ? `1 ${what} runs` : `${number} ${what}s run`
}
