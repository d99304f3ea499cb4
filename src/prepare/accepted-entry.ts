import type { LoadedConfig } from '../config/load/load.ts'
import type { AcceptedEntry, TraceStep } from '../journal/entry.ts'
import type { Judgement } from '../policy/memory.ts'
import type { Renderer } from '../render/render.ts'
import type { Decided } from './decide.ts'
import { factsOf } from './facts.ts'

/** The rendered texts of the event. */
type Text = Pick<Renderer, 'title' | 'body' | 'problems'>

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
