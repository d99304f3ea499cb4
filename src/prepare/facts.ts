import type { EnrichedEvent } from '../context/enrich.ts'
import { meaningOfName } from '../event/detect.ts'
import { type Kind, kindOf, kinds } from '../event/kind.ts'
import type { AcceptedEntry, EventFacts } from '../journal/entry.ts'
import { isOverSsh } from '../route/conditions.ts'
import { isSwitchedOff } from '../route/route.ts'

/** A reason that the client chose from a list of its own, rather than a sentence that may quote the agent. */
const ONE_WORD = /^\w{1,48}$/

/** What the journal keeps of an event so that it can be judged again. What was said is not part of it. */
export function factsOf(event: EnrichedEvent, { keepsText }: { keepsText: boolean }): EventFacts {
  const { means, durationMs, backgroundTasks, isHeadless, isAtTerminal, failure } = event
  const failureReason = failure?.reason ?? ''
  const texts = {
    notificationType: event.notificationType,
    reason: event.reason,
    failureReason: keepsText || ONE_WORD.test(failureReason) ? failureReason : '',
    cwd: event.cwd,
    agent: event.agent,
    tool: event.tool,
    toolUseId: event.toolUseId,
    turnId: event.turnId,
    parentSessionId: event.parentSessionId,
    permissionMode: event.permissionMode,
    branch: event.branch,
  }
  return {
    means,
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text)),
    ...(durationMs !== undefined && { durationMs: Math.round(durationMs) }),
    ...(backgroundTasks > 0 && { backgroundTasks }),
    ...(isHeadless !== undefined && { isHeadless }),
    ...(isAtTerminal !== undefined && { isAtTerminal }),
    ...(isOverSsh(event) && { isOverSsh: true }),
    ...(isSwitchedOff(event) && { isSwitchedOff: true }),
  }
}

/**
 * The event of an entry, as far as decisions are made by it: the other direction of `factsOf`. What earlier versions did
 * not keep is taken from what they did, or counts as not known.
 */
export function eventOfEntry(
  entry: AcceptedEntry,
  abnormalReasons: readonly string[],
): EnrichedEvent {
  const { id, acceptedAt: at, event: name, client, sessionId, project, text = '' } = entry
  const { facts = {} } = entry
  const means = (facts.means ?? meaningOfName(client, name, {})) as EnrichedEvent['means']
  const { reason = '', notificationType = '', failureReason = '' } = facts
  return {
    ...{ id, at, client, name, means, sessionId, project, reason, notificationType },
    kind: means === 'SessionEnd' ? endKind(reason, abnormalReasons) : kindOfEntry(entry),
    message: text,
    parentSessionId: facts.parentSessionId ?? '',
    cwd: facts.cwd ?? '',
    tool: facts.tool ?? '',
    toolUseId: facts.toolUseId ?? '',
    agent: facts.agent ?? '',
    turnId: facts.turnId ?? '',
    permissionMode: facts.permissionMode ?? '',
    branch: facts.branch ?? '',
    backgroundTasks: facts.backgroundTasks ?? 0,
    durationMs: facts.durationMs,
    isHeadless: facts.isHeadless,
    isAtTerminal: facts.isAtTerminal,
    failure: failureReason
      ? { reason: failureReason, isLimit: false, resetsAt: undefined }
      : undefined,
    env: {
      ...(facts.isOverSsh && { SSH_TTY: 'yes' }),
      ...(facts.isSwitchedOff && { DROID_DISABLE_NOTIFICATIONS: 'yes' }),
    },
    // No decision is made by these.
    ...{ transcriptPath: '', lastMessage: '', prompt: '', agentId: '', promptId: '', model: '' },
    ...{ question: undefined, problems: [], title: '', firstPrompt: '', tokens: undefined },
    did: { tools: {}, files: [], commands: [] },
  }
}

/** Before any evidence: what came before may show another. */
function endKind(reason: string, abnormalReasons: readonly string[]): Kind {
  const clues = { name: 'SessionEnd', notificationType: '', message: '', reason }
  return kindOf(clues, abnormalReasons)
}

function kindOfEntry({ kind }: AcceptedEntry): Kind {
  return kinds.includes(kind as Kind) ? (kind as Kind) : 'other'
}
