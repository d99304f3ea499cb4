import type { EnrichedEvent } from '../context/enrich.ts'
import { meaningOfName } from '../event/detect.ts'
import { type Kind, kindOf, kinds } from '../event/kind.ts'
import type { AcceptedEntry, EventFacts } from '../journal/entry.ts'
import { isOverSsh } from '../route/conditions.ts'
import { isSwitchedOff, switchOf } from '../route/route.ts'

/** A reason from the client's own list, rather than a sentence that may quote the agent. */
const ONE_WORD = /^\w{1,48}$/

/** The facts that the journal keeps so that an event can be judged again. The agent's text is not part of them. */
export function factsOf(event: EnrichedEvent, { keepsText }: { keepsText: boolean }): EventFacts {
  const { means, durationMs, backgroundTasks, isHeadless, isAtTerminal, failure } = event
  const { backgroundAgents, backgroundTeammates, wakesAt, waitingMs = 0 } = event
  const { asks, isInterrupted, isAtRest, isOfSubagent } = event
  const failureReason = failure?.reason ?? ''
  const texts = {
    notificationType: event.notificationType,
    reason: event.reason,
    failureCause: failure?.cause ?? '',
    failureReason: keepsText || ONE_WORD.test(failureReason) ? failureReason : '',
    cwd: event.cwd,
    agent: event.agent,
    agentId: event.agentId,
    tool: event.tool,
    toolUseId: event.toolUseId,
    turnId: event.turnId,
    parentSessionId: event.parentSessionId,
    permissionMode: event.permissionMode,
    branch: event.branch,
    // Only a question has an answer to look for.
    transcriptPath: event.kind === 'permission' ? event.transcriptPath : '',
    surface: event.surface ?? '',
  }
  return {
    means,
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text)),
    ...(durationMs !== undefined && { durationMs: Math.round(durationMs) }),
    ...(waitingMs > 0 && { waitingMs: Math.round(waitingMs) }),
    ...(backgroundTasks > 0 && { backgroundTasks }),
    ...(backgroundAgents && { backgroundAgents }),
    ...(backgroundTeammates && { backgroundTeammates }),
    ...(wakesAt && { wakesAt }),
    ...(asks && { asks }),
    ...(isInterrupted && { isInterrupted }),
    ...(isAtRest && { isAtRest }),
    ...(isOfSubagent && { isOfSubagent }),
    ...(isHeadless !== undefined && { isHeadless }),
    ...(isAtTerminal !== undefined && { isAtTerminal }),
    ...(isOverSsh(event) && { isOverSsh: true }),
    ...(isSwitchedOff(event) && { isSwitchedOff: true }),
  }
}

/**
 * The inverse of `factsOf`: the event of an entry, with the fields that decisions depend on. Fields that earlier
 * versions did not keep are derived from others, or count as unknown.
 */
export function eventOfEntry(
  entry: AcceptedEntry,
  abnormalReasons: readonly string[],
): EnrichedEvent {
  const { id, acceptedAt: at, event: name, client, sessionId, project, text = '' } = entry
  const { facts = {} } = entry
  const means = (facts.means ?? meaningOfName(client, name, {})) as EnrichedEvent['means']
  const { reason = '', notificationType = '', failureReason = '', failureCause = '' } = facts
  return {
    ...{ id, at, client, name, means, sessionId, project, reason, notificationType },
    kind: means === 'SessionEnd' ? endKind(reason, abnormalReasons) : kindOfEntry(entry),
    message: text,
    parentSessionId: facts.parentSessionId ?? '',
    cwd: facts.cwd ?? '',
    tool: facts.tool ?? '',
    toolUseId: facts.toolUseId ?? '',
    agent: facts.agent ?? '',
    agentId: facts.agentId ?? '',
    turnId: facts.turnId ?? '',
    permissionMode: facts.permissionMode ?? '',
    branch: facts.branch ?? '',
    backgroundTasks: facts.backgroundTasks ?? 0,
    ...(facts.backgroundAgents && { backgroundAgents: facts.backgroundAgents }),
    ...(facts.backgroundTeammates && { backgroundTeammates: facts.backgroundTeammates }),
    ...(facts.wakesAt && { wakesAt: facts.wakesAt }),
    ...(facts.asks && { asks: true }),
    ...(facts.isInterrupted && { isInterrupted: true }),
    ...(facts.isAtRest && { isAtRest: true }),
    ...(facts.isOfSubagent && { isOfSubagent: true }),
    ...(facts.surface && { surface: facts.surface }),
    durationMs: facts.durationMs,
    ...(facts.waitingMs && { waitingMs: facts.waitingMs }),
    isHeadless: facts.isHeadless,
    isAtTerminal: facts.isAtTerminal,
    failure:
      failureReason || failureCause
        ? { reason: failureReason, cause: failureCause, isLimit: false, resetsAt: undefined }
        : undefined,
    env: {
      ...(facts.isOverSsh && { SSH_TTY: 'yes' }),
      ...(facts.isSwitchedOff && { [switchOf(entry)]: 'yes' }),
    },
    transcriptPath: facts.transcriptPath ?? '',
    // No decision depends on these.
    ...{ lastMessage: '', prompt: '', model: '' },
    ...{ question: undefined, problems: [], title: '', firstPrompt: '', tokens: undefined },
    did: { tools: {}, files: [], commands: [] },
  }
}

/** The kind before the evidence of earlier events, which may correct it. */
function endKind(reason: string, abnormalReasons: readonly string[]): Kind {
  const clues = { name: 'SessionEnd', notificationType: '', message: '', reason }
  return kindOf(clues, abnormalReasons)
}

function kindOfEntry({ kind }: AcceptedEntry): Kind {
  return kinds.includes(kind as Kind) ? (kind as Kind) : 'other'
}
