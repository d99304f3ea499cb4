import type { LoadedConfig } from '../config/load/load.ts'
import type { EnrichedEvent } from '../context/enrich.ts'
import { meaningOfName } from '../event/detect.ts'
import { type Kind, kindOf, kinds } from '../event/event.ts'
import type { AcceptedEntry, EventFacts, TraceStep } from '../journal/entry.ts'
import type { Judgement } from '../policy/memory.ts'
import type { Renderer } from '../render/render.ts'
import { nameOf } from '../render/values.ts'
import { isOverSsh } from '../route/conditions.ts'
import { isSwitchedOff, switchOf } from '../route/route.ts'
import type { Decided } from './decide.ts'

/** The rendered texts of the event. */
type Text = Pick<Renderer, 'title' | 'body' | 'problems'>

/** A reason from the client's own list, rather than a sentence that may quote the agent. */
const ONE_WORD = /^\w{1,48}$/

/** The facts that the journal keeps so that an event can be judged again. The agent's text is not part of them. */
export function factsOf(event: EnrichedEvent, { keepsText }: { keepsText: boolean }): EventFacts {
  const { means, durationMs, backgroundTasks, isHeadless, isAtTerminal, isHere, failure } = event
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
    transcriptPath: isWatched(event) ? event.transcriptPath : '',
    surface: event.surface ?? '',
    sessionName: keepsText ? nameOf(event) : '',
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
    ...(isHere !== undefined && { isHere }),
    ...(isOverSsh(event) && { isOverSsh: true }),
    ...(isSwitchedOff(event) && { isSwitchedOff: true }),
    ...(event.place && { place: event.place }),
  }
}

/** Whether the transcript is looked at later: for the answer of a question, or for signs of life of a turn. */
function isWatched({ kind, means }: EnrichedEvent): boolean {
  return kind === 'permission' || means === 'UserPromptSubmit' || means === 'TurnStart'
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
    isHere: facts.isHere,
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

/** The `accepted` entry of an event: its facts, its text as sent, and why each channel gets it or not. */
export function acceptedEntry(
  { event, renderer, trace, judgements, notes }: Decided & { renderer: Text },
  { config }: Pick<LoadedConfig, 'config'>,
  now: number,
): AcceptedEntry {
  const { id, at, name, kind, client, project, sessionId } = event
  const problems = [...event.problems, ...renderer.problems]
  const to = judgements.filter(({ verdict }) => verdict.type !== 'suppress')
  const people = kind === 'permission' ? to.filter(({ candidate }) => !candidate.isRecord) : []
  return {
    at: now,
    id,
    type: 'accepted',
    acceptedAt: at,
    event: name,
    kind,
    client,
    sessionId,
    project,
    title: renderer.title,
    ...(config.journal.text && renderer.body && { text: renderer.body }),
    facts: factsOf(event, { keepsText: config.journal.text }),
    ...(to.length > 0 && { to: namesOf(to) }),
    ...(people.length > 0 && { people: namesOf(people) }),
    trace: [...trace, ...judgements.map(stepOf)],
    ...(problems.length > 0 && { problems }),
    ...notes,
  }
}

function namesOf(judgements: readonly Judgement[]): string[] {
  return judgements.map(({ candidate }) => candidate.channel)
}

function stepOf({ candidate: { channel }, by, verdict }: Judgement): TraceStep {
  const because = verdict.type === 'send' ? 'no rule suppresses or holds it' : verdict.reason
  return { by: by || 'policies', channel, verdict: verdict.type, because }
}
