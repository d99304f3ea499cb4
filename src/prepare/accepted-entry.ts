import type { LoadedConfig } from '../config/load.ts'
import type { EnrichedEvent } from '../context/enrich.ts'
import type { AcceptedEntry, EventFacts, TraceStep } from '../journal/entry.ts'
import type { Judgement } from '../policy/memory.ts'
import type { Renderer } from '../render/render.ts'
import type { Decided } from './decide.ts'

/** What was rendered of it. */
type Text = Pick<Renderer, 'title' | 'body' | 'problems'>

/** The journal's line about an event: the facts, the text as it is sent, and why each channel is told or not. */
export function acceptedEntry(
  { event, renderer, trace, judgements, notes }: Decided & { renderer: Text },
  { config }: Pick<LoadedConfig, 'config'>,
  now: number,
): AcceptedEntry {
  const { id, at, name, kind, client, project, sessionId } = event
  const problems = [...event.problems, ...renderer.problems]
  const to = judgements.filter(({ verdict }) => verdict.type !== 'suppress')
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
    facts: factsOf(event),
    ...(to.length > 0 && { to: to.map(({ candidate }) => candidate.channel) }),
    trace: [...trace, ...judgements.map(stepOf)],
    ...(problems.length > 0 && { problems }),
    ...notes,
  }
}

function stepOf({ candidate: { channel }, by, verdict }: Judgement): TraceStep {
  const because = verdict.type === 'send' ? 'no policy objects' : verdict.reason
  return { by: by || 'policies', channel, verdict: verdict.type, because }
}

function factsOf(event: EnrichedEvent): EventFacts {
  const { notificationType, reason, durationMs, backgroundTasks, cwd, agent, tool } = event
  const { means, toolUseId, turnId, parentSessionId, permissionMode, branch, isHeadless } = event
  const texts = {
    notificationType,
    reason,
    cwd,
    agent,
    tool,
    toolUseId,
    turnId,
    parentSessionId,
    permissionMode,
    branch,
  }
  return {
    means,
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text)),
    ...(durationMs !== undefined && { durationMs: Math.round(durationMs) }),
    ...(backgroundTasks > 0 && { backgroundTasks }),
    ...(isHeadless !== undefined && { isHeadless }),
  }
}
