import { channelOf } from '../config/channels.ts'
import type { Config } from '../config/schema/schema.ts'
import type { EnrichedEvent } from '../context/enrich.ts'
import type { ProjectRules } from '../context/project-rules.ts'
import type { Delivery } from '../delivery.ts'
import type { Kind } from '../event/event.ts'
import { meaningOf } from '../event/meaning.ts'
import type { AcceptedEntry, TraceStep } from '../journal/entry.ts'
import { notifierOf } from '../notifiers/index.ts'
import { type Corrected, kindByEvidence } from '../policy/evidence.ts'
import { isInForce, type Judgement, type JudgeSettings, type Memory } from '../policy/memory.ts'
import type { Mute } from '../policy/mutes.ts'
import { type NoiseSettings, noiseSettingsOf } from '../policy/noise.ts'
import { waitBetween } from '../policy/questions.ts'
import { judgeAt, quietHours } from '../policy/rules/quiet-hours.ts'
import type { Session } from '../policy/sessions.ts'
import { isTurnOver, waitedMs } from '../policy/turns.ts'
import {
  type Candidate,
  type JudgedEvent,
  type Policy,
  type ProjectVerdict,
  send,
  type Verdict,
} from '../policy/types.ts'
import type { Templates } from '../render/templates.ts'
import { conditionsOf, Patterns, type RouteDeps } from '../route/conditions.ts'
import { type Decision, route, routeTo } from '../route/route.ts'

/** What a decision depends on, besides the event and the configuration. */
interface DecideDeps {
  memory: Memory
  /** The mutes in force. */
  mutes(): readonly Mute[]
  host: string
  now(): number
  /** The rules in force of the event's own project file (.hookbell.json). */
  project?: ProjectRules | undefined
}

/** What the preparation of an event needs from this machine. */
export interface PrepareDeps extends DecideDeps {
  templates: Templates
  /** The name of the project around a working folder; absent: looked up for each event. */
  projectOf?: (cwd: string) => Promise<string>
  /** The branch of a working folder; absent: looked up for each event. */
  branchOf?: (cwd: string) => Promise<string>
  /** Whether a person has said so, by `hookbell away`. */
  isAway?: () => boolean
  /** The rules in the .hookbell.json of the project around a folder. */
  projectRules?: (cwd: string) => Promise<ProjectRules | undefined>
}

export interface Stored {
  /** The only channel to use, if a person asked for it by name. */
  channel?: string | undefined
  fingerprint?: string | undefined
  shared: boolean
  /** The client whose settings contain the hook, if another one ran it. */
  via?: string | undefined
  /** Channels that an earlier worker chose and that are still open. They are used whatever the routes say now. */
  open?: readonly string[] | undefined
}

export interface Decided {
  /** Its kind is corrected if earlier events of the session show another one. */
  event: EnrichedEvent
  judgements: readonly Judgement[]
  /** Why no channel was chosen; absent otherwise. */
  suppress?: string
  /** How the kind was corrected, and the verdict of each route. */
  trace: readonly TraceStep[]
  /** Fields that the policies add to the journal entry. */
  notes: Partial<AcceptedEntry>
}

/** Decides which channels get an event, which do not, and why. Reads no files and does not change the memory. */
export function decide(
  found: EnrichedEvent,
  stored: Stored,
  config: Config,
  deps: DecideDeps,
): Decided {
  return judgeChosen(choose(found, stored, config, deps), stored, deps)
}

/** An event and the channels that the routes choose for it. */
export interface Chosen extends Pick<Decided, 'event' | 'suppress' | 'trace'> {
  candidates: readonly Candidate[]
  /** By what the rules judge it. */
  settings: JudgeSettings
}

/** The first half of a decision: what the event is, by what is known of its session, and which channels it is for. */
export function choose(
  found: EnrichedEvent,
  stored: Stored,
  config: Config,
  deps: DecideDeps,
): Chosen {
  const settings = settingsOf(config, deps)
  settings.noise = withProject(settings.noise, deps.project)
  const session = deps.memory.session(found)
  const better = kindByEvidence(found, session, settings.noise.abnormalReasons)
  const { because = '', ...corrected }: Partial<Corrected> = better ?? {}
  const event = { ...withDuration(found, session), ...corrected }
  const asked = forConditions(event, session)
  const routeDeps = { host: deps.host, now: settings.now, patterns: new Patterns() }
  const { candidates, trace, suppress } = chooseChannels(asked, stored, config, routeDeps)
  settings.project = deps.project && judgedProject(deps.project, asked, routeDeps)
  return {
    ...{ event, candidates, settings },
    // That there is no route would not explain why nobody is told of a failure.
    ...(suppress !== undefined && { suppress: corrected.means ? because : suppress }),
    trace: [
      ...(better ? [correction(better.kind, because)] : []),
      ...projectTrace(deps.project),
      ...trace,
    ],
  }
}

/** The second half: what the rules say about each of these channels. */
export function judgeChosen(
  { candidates, settings, ...chosen }: Chosen,
  { fingerprint, shared, via, channel, open }: Stored,
  { memory }: Pick<DecideDeps, 'memory'>,
): Decided {
  const judged = { ...chosen.event, fingerprint, shared, via }
  // A channel that a person asked for, and channels chosen before, are not judged again.
  const isDecided = channel !== undefined || open !== undefined
  return {
    ...chosen,
    judgements: (isDecided
      ? candidates.map((candidate): Judgement => ({ candidate, by: '', verdict: { type: 'send' } }))
      : memory.judge(judged, candidates, settings)
    ).map((judgement) => delayByStep(judgement, judged, settings)),
    notes: memory.note(judged, settings),
  }
}

/** How long a turn took, and for how much of that it may have waited for a person, as far as earlier events show it. */
function withDuration(found: EnrichedEvent, session: Session | undefined): EnrichedEvent {
  const { kind, at } = found
  if (kind !== 'done' && kind !== 'failed') return found
  const durationMs = kind === 'done' ? waitedMs(session, found) : found.durationMs
  if (!session || durationMs === undefined) return { ...found, durationMs }
  return { ...found, durationMs, waitingMs: waitBetween(session, at - durationMs, at) }
}

/**
 * For conditions, an idle notice asks if the turn before it ended with a question: no other message may have reported
 * it. And not each event shows whether the session runs without a person.
 */
function forConditions(event: EnrichedEvent, session: Session | undefined): EnrichedEvent {
  const isIdle = event.kind === 'waiting' && meaningOf(event).isIdle
  const asks = isIdle && session?.turnEnd?.asks === true && isTurnOver(session)
  const isHeadless = event.isHeadless ?? session?.isHeadless
  return { ...event, isHeadless, ...(asks && { asks }) }
}

/** The settings by which an event or a held delivery is judged now. */
export function settingsOf(
  config: Config,
  { mutes, now }: Pick<DecideDeps, 'mutes' | 'now'>,
): JudgeSettings {
  return { noise: noiseSettingsOf(config), mutes: mutes(), now: now() }
}

/**
 * Holds a later step. Its delay counts from when the channel would otherwise get the event. If it ends in quiet hours, it
 * lasts until their end.
 */
function delayByStep(judgement: Judgement, event: JudgedEvent, settings: JudgeSettings): Judgement {
  const { candidate, verdict } = judgement
  const { later } = candidate
  if (!later || verdict.type === 'suppress') return judgement
  const {
    until: earliest,
    group,
    expects,
  } = verdict.type === 'hold' ? verdict : { until: event.at, group: '', expects: undefined }
  const until = earliest + later.ms
  const quiet = judgeQuietHours(until, event.kind, candidate, settings)
  if (quiet.type === 'hold') {
    return { candidate, by: quietHours.name, verdict: { ...quiet, expects, earliest } }
  }
  const reason = later.because
  const hold: Verdict = { type: 'hold', until, reason, group, expects, earliest }
  return { candidate, by: 'steps', verdict: hold }
}

/** The verdict of quiet hours on a delivery that is due now, such as one that waited for its destination. */
export function judgeDue(
  { kind, channel }: Pick<Delivery, 'kind' | 'channel'>,
  config: Config,
  now: number,
): Verdict {
  return judgeQuietHours(now, kind, noiseOf(channel, config), { noise: noiseSettingsOf(config) })
}

function judgeQuietHours(
  moment: number,
  kind: Kind,
  candidate: Pick<Candidate, 'hasNoiseRules'>,
  { noise }: Pick<JudgeSettings, 'noise'>,
): Verdict {
  return isInForce(quietHours, candidate, { noise }) ? judgeAt(moment, kind, noise) : send
}

function correction(kind: Kind, because: string): TraceStep {
  return { by: 'kind', verdict: 'corrected', because: `${kind}: ${because}` }
}

function chooseChannels(
  event: EnrichedEvent,
  { channel, open }: Stored,
  config: Config,
  deps: RouteDeps,
): Omit<Decision, 'candidates'> & { candidates: Candidate[] } {
  const decision = channel ? routeTo(channel, event) : route(event, config, deps)
  const known = (name: string) => decision.candidates.find((one) => one.channel === name)
  const chosen = open
    ? open.map((name) => known(name) ?? { channel: name, urgency: 'normal' as const, on: '*' })
    : decision.candidates
  const candidates = chosen.map((one) => ({ ...one, ...noiseOf(one.channel, config) }))
  return open ? { candidates, trace: decision.trace } : { ...decision, candidates }
}

/** What the rules may ask of a channel. By default the noise rules apply, unless it only keeps a record. */
export function noiseOf(channel: string, config: Config) {
  const { isRecord = false, summarizes = false } = notifierOf(channel, config) ?? {}
  return { isRecord, summarizes, hasNoiseRules: channelOf(channel, config)?.noise ?? !isRecord }
}

/** Whether a rule may apply to any channel. */
export function isRuleUsed(rule: Pick<Policy, 'isNoise' | 'name'>, config: Config): boolean {
  const noise = noiseSettingsOf(config)
  return Object.keys(config.channels).some((channel) =>
    isInForce(rule, noiseOf(channel, config), { noise }),
  )
}

/** Evaluates a project file for one event, for the policies. */
function judgedProject(
  { root, isMuted, when = {}, not = {} }: ProjectRules,
  event: EnrichedEvent,
  deps: RouteDeps,
): ProjectVerdict {
  // What is not known to exclude an event does not.
  const wanted = conditionsOf(when, event, deps, true).find(
    ({ holds, isUndecided }) => !holds && !isUndecided,
  )
  const unwanted = conditionsOf(not, event, deps, false).find(({ holds }) => holds)
  const fails = wanted ? `when ${wanted.because}` : unwanted && `not ${unwanted.because}`
  return { root, isMuted, fails }
}

/** Applies a project's limits. A project can only reduce what is sent, never add to it. */
function withProject(noise: NoiseSettings, project?: ProjectRules): NoiseSettings {
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
function projectTrace(project?: ProjectRules): TraceStep[] {
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
