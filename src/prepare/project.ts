import type { EnrichedEvent } from '../context/enrich.ts'
import type { ProjectRules } from '../context/project-rules.ts'
import type { TraceStep } from '../journal/entry.ts'
import type { NoiseSettings } from '../policy/noise.ts'
import type { ProjectVerdict } from '../policy/types.ts'
import { conditionsOf, type RouteDeps } from '../route/conditions.ts'

/** Evaluates a project file for one event, for the policies. */
export function judgedProject(
  { root, isMuted, when = {}, not = {} }: ProjectRules,
  event: EnrichedEvent,
  deps: RouteDeps,
): ProjectVerdict {
  // What is not known to exclude an event does not.
  const wanted = conditionsOf(when, event, deps).find(
    ({ holds, isUndecided }) => !holds && !isUndecided,
  )
  const unwanted = conditionsOf(not, event, deps).find(({ holds }) => holds)
  const fails = wanted ? `when ${wanted.because}` : unwanted && `not ${unwanted.because}`
  return { root, isMuted, fails }
}

/** Applies a project's limits. A project can only reduce what is sent, never add to it. */
export function withProject(noise: NoiseSettings, project?: ProjectRules): NoiseSettings {
  if (!project) return noise
  return {
    ...noise,
    minSeconds: Math.max(noise.minSeconds, project.minSeconds),
    cooldownSeconds: Math.max(noise.cooldownSeconds, project.cooldownSeconds),
  }
}

/** Uses the label that the project gives itself. Until a person trusts it, the folder's name is shown beside it. */
export function withLabel<Event extends Pick<EnrichedEvent, 'project'>>(
  event: Event,
  project?: ProjectRules,
): Event {
  const { label, trust } = project ?? {}
  if (!label || label === event.project) return event
  const isPlain = trust === 'trusted' || event.project === ''
  return { ...event, project: isPlain ? label : `${label} (${event.project})` }
}

/** For `why`: which settings of the project file were applied, and which were ignored. */
export function projectTrace(project?: ProjectRules): TraceStep[] {
  if (!project) return []
  const { root, trust, counts, ignored } = project
  const by = 'project file'
  const hint =
    trust === 'changed' ? 'it changed since it was trusted: hookbell trust' : 'hookbell trust'
  const applied = `${counts.join(', ')} of ${root}/.hookbell.json (${trust})`
  const needs = trust === 'trusted' ? '' : ` (${hint})`
  return [
    ...(counts.length > 0 ? [{ by, verdict: 'applied' as const, because: applied }] : []),
    ...(ignored.length > 0
      ? [{ by, verdict: 'ignored' as const, because: `${ignored.join(', ')}${needs}` }]
      : []),
  ]
}
