import { setTimeout as sleep } from 'node:timers/promises'
import { findClient } from '../clients/index.ts'
import type { AgentEvent, Kind } from '../event/event.ts'
import { asksAtEnd } from '../event/headline.ts'
import { homeDir } from '../fs/home.ts'
import type { Place } from '../journal/entry.ts'
import { askedIn, formatOf, rootsOf, transcriptOf } from './of-client.ts'
import { branchOf, projectName } from './project.ts'
import {
  type PromptFacts,
  readPrompt,
  readTranscript,
  sizeOf,
  type TranscriptFacts,
} from './transcript.ts'
import type { Tokens } from './transcripts/entry.ts'
import type { Deeds } from './turn.ts'
import { isTriedAgain, withTurn } from './with-turn.ts'

const POLL_EVERY_MS = 50
/** How late a transcript may be, for an unknown client, and for a transcript that does not exist. */
const LATE_BY_MS = 300
/** The longest wait for other hooks. The next event of the session waits too, for five seconds. */
const HOOKS_MS = 4000

/** The longest time between the interruption of a turn and the end of its session, if one signal causes both. */
const KILL_MS = 5000

/** An event with the facts that were found in its project and its transcript. */
export interface EnrichedEvent extends AgentEvent {
  /** '' where unknown. */
  project: string
  /** The branch that is checked out; '' where there is none. */
  branch: string
  /** The session's name, given by the client or the person; '' if it has none. */
  title: string
  /** The first prompt of the session. */
  firstPrompt: string
  /** Tokens of the turn. */
  tokens: Tokens | undefined
  /** What the agent did in the turn. */
  did: Deeds
  /** Whether its answer ends with a question. Absent for false. */
  asks?: boolean
  /** Whether a person stopped the turn before. Absent for false. */
  isInterrupted?: boolean
  /** Whether the transcript shows that no turn was running when the session ended abnormally. Absent for false. */
  isAtRest?: boolean
  /** Whether its whole session is that of a sub-agent, as the transcript shows. Absent for false. */
  isOfSubagent?: boolean
  /** Whether a person is at the terminal of the session; absent if unknown or not checked. */
  isAtTerminal?: boolean | undefined
  /** Whether a person is at this machine; absent if unknown or not checked. */
  isHere?: boolean | undefined
  /** Where the session is on this machine; absent if unknown. */
  place?: Place
  /** For how much of `durationMs` the turn may have waited for a person. Absent for 0. */
  waitingMs?: number
}

interface EnrichDeps {
  /** The name of the project around a folder; absent: looked up for each event. */
  projectOf?: (cwd: string) => Promise<string>
  branchOf?: (cwd: string) => Promise<string>
  /** Whether to look for a prompt that waits for the end of the turn. @default true */
  findsQueued?: boolean
  now(): number
}

/** Kinds that are never announced, or not about a turn of the session: their transcript is not read. */
const unread: readonly Kind[] = ['other', 'subagent-done']

/** Kinds whose last message is the agent's answer. */
const turnOver: readonly Kind[] = ['done', 'waiting']

/**
 * Adds facts from the folder and the transcript. Text of the payload takes precedence. For facts that only the
 * transcript has, such as a pending command, waits a little if the client writes it late. Never fails an event.
 */
export async function enrich(given: AgentEvent, deps: EnrichDeps): Promise<EnrichedEvent> {
  const event = { ...given, transcriptPath: await transcriptOf(given) }
  const transcriptPath = askedIn(event)
  const isOfAgent = transcriptPath !== event.transcriptPath
  const [project, branch, facts, ofAgent, asked] = await Promise.all([
    (deps.projectOf ?? projectOf)(event.cwd).catch(() => ''),
    (deps.branchOf ?? branchOf)(event.cwd).catch(() => ''),
    event.transcriptPath && isRead(event) ? readInTime(event, deps) : undefined,
    isOfAgent ? readInTime({ ...event, transcriptPath }, deps) : undefined,
    promptOf(event),
  ])
  const {
    title = '',
    firstPrompt = '',
    tokens,
    did = { tools: {}, files: [], commands: [] },
  } = facts ?? {}
  const { openCalls } = ofAgent ?? {}
  const found = facts ? withTurn(event, { ...facts, ...(openCalls && { openCalls }) }) : event
  return {
    ...found,
    ...(asked?.isOwn && { means: 'TurnStart' as const }),
    transcriptPath,
    ...(turnOver.includes(found.kind) && asksAtEnd(found.lastMessage) && { asks: true }),
    ...(facts && wasInterrupted(found, facts) && { isInterrupted: true }),
    ...(asked?.isInterrupted && { isInterrupted: true }),
    ...(facts && wasAtRest(found, facts) && { isAtRest: true }),
    ...(facts?.isSubagent && { isOfSubagent: true }),
    project,
    branch: branch || facts?.branch || '',
    title,
    firstPrompt,
    tokens,
    did,
  }
}

function isRead({ client, kind, agentId }: AgentEvent): boolean {
  const mayBeLast = agentId !== '' && findClient(client)?.agentsOutliveTurn === true
  return !unread.includes(kind) || (kind === 'subagent-done' && mayBeLast)
}

/** What the transcript shows of a prompt; undefined for any other event. */
async function promptOf(event: AgentEvent): Promise<PromptFacts | undefined> {
  const { client, means, transcriptPath } = event
  if (means !== 'UserPromptSubmit' || !transcriptPath) return undefined
  const facts = await readPrompt(transcriptPath, rootsOf(client), event, formatOf(client))
  return { ...facts, isOwn: facts.isOwn && findClient(client)?.wakesItself === true }
}

/** A client that is killed may interrupt its turn itself, at once. */
function wasInterrupted({ kind, at }: AgentEvent, { outcome, outcomeAt = at }: TranscriptFacts) {
  const isBefore = kind === 'abnormal-end' && outcomeAt <= at - KILL_MS
  return outcome === 'interrupted' && (kind === 'waiting' || isBefore)
}

/** Whether nothing was asked in the session, or its last turn had ended well. */
function wasAtRest({ kind }: AgentEvent, { isUnused, outcome }: TranscriptFacts): boolean {
  return kind === 'abnormal-end' && (isUnused || outcome === 'completed')
}

/** Reads the transcript, and each time it grows for a short while if it does not yet show what the event is about. */
async function readInTime(
  event: AgentEvent,
  { findsQueued = true, now }: EnrichDeps,
): Promise<TranscriptFacts> {
  const roots = rootsOf(event.client)
  const format = formatOf(event.client)
  const measure = () => sizeOf(event.transcriptPath, roots)
  const read = async () => {
    const found = await readTranscript(event.transcriptPath, roots, event.at, format)
    return findsQueued ? found : { ...found, isFollowed: false }
  }
  // Measured before it is read: what is written meanwhile is read the next time.
  let size = await measure()
  let facts = await read()
  let hooksMs = 0
  for (let waitingMs = 0; ; waitingMs += POLL_EVERY_MS) {
    const patience = patienceMs(event, facts, hooksMs)
    // The clock may be set back.
    const ageMs = patience > 0 ? Math.max(now() - event.at, waitingMs) : 0
    if (ageMs >= patience) return facts
    if (hasOpenHooks(event, facts)) hooksMs = ageMs
    await sleep(POLL_EVERY_MS)
    const before = size
    size = await measure()
    // A long turn takes megabytes.
    if (size === before) continue
    const again = await read()
    // The file may have been removed or emptied.
    if (facts.isReadable && !again.isReadable) return facts
    facts = again
  }
}

/** How long after the event to read again; 0 if nothing is missing. @param hooksMs how long other hooks ran */
function patienceMs(event: AgentEvent, facts: TranscriptFacts, hooksMs: number): number {
  if (hasOpenHooks(event, facts)) return HOOKS_MS
  const { transcriptLateByMs = LATE_BY_MS, queuedPromptMs = 0 } = findClient(event.client) ?? {}
  // A transcript that does not exist at all is unlikely to appear.
  const lateByMs = facts.isReadable ? transcriptLateByMs : Math.min(transcriptLateByMs, LATE_BY_MS)
  return Math.max(
    mayBeFollowed(event, facts) ? hooksMs + queuedPromptMs : 0,
    isLate(event, facts) ? lateByMs : 0,
  )
}

/** Whether other hooks for the end of the turn may still run: one of them may make the agent go on. */
function hasOpenHooks({ client, kind }: AgentEvent, facts: TranscriptFacts): boolean {
  if (kind !== 'done' || !findClient(client)?.writesStopResult || facts.isSubagent) return false
  return facts.isReadable && facts.isRefused === undefined && facts.outcome === ''
}

/** Whether a prompt may be waiting that the agent goes on with. Nobody writes one in a one-shot run. */
function mayBeFollowed({ client, kind, isHeadless }: AgentEvent, facts: TranscriptFacts): boolean {
  const { queuedPromptMs, writesQueue } = findClient(client) ?? {}
  if (kind !== 'done' || !queuedPromptMs || (isHeadless ?? facts.isHeadless)) return false
  if (!facts.isReadable || facts.isSubagent || facts.isFollowed !== undefined) return false
  return !/^(failed|interrupted)$/.test(facts.outcome) && (!writesQueue || facts.hasQueuedPrompt)
}

function isLate(event: AgentEvent, facts: TranscriptFacts): boolean {
  if (event.kind === 'done') return facts.isLate && !event.lastMessage
  if (event.kind === 'failed') return isTriedAgain(event, facts)
  return (
    event.kind === 'permission' &&
    !event.question &&
    facts.isReadable &&
    facts.openCalls.length === 0
  )
}

/** The name of the project around a folder. */
export function projectOf(cwd: string): Promise<string> {
  return projectName(cwd, homeDir())
}
