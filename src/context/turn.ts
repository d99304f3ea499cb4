import { isPayload, textOf } from '../event/payload.ts'
import { commandIn, pathIn } from '../event/tool-input.ts'
import { startOf } from '../text/clean.ts'
import type { Entry, Outcome, Tokens } from './transcripts/entry.ts'

/** Messages truncate further. */
const MAX_TEXT = 500

/** What an agent did in a turn. */
export interface Deeds {
  /** How often each tool was used, in the order of their first use. */
  tools: Readonly<Record<string, number>>
  /** Files that were written or changed. */
  files: readonly string[]
  commands: readonly string[]
}

interface Call {
  name: string
  input: unknown
}

const CHANGES = /^(write|edit|multi_?edit|create|replace|apply_?patch|notebook_?edit|str_replace)/i

/** File times are a few milliseconds coarser than those in a transcript. */
const CLOCK_SLACK_MS = 100
/** How long after the end of a turn a prompt may come that waited for it: measured, 3.2 s at most. */
export const QUEUED_PROMPT_MS = 10_000
/** A question's call may carry a time a little after its hook has started. */
const CALL_SLACK_MS = 1000

export interface ToolCall {
  id: string
  name: string
  input: unknown
}

/** Facts from a transcript about the turn that was running at a moment. */
export interface TurnFacts {
  /** Text of the turn's last assistant message; '' where there is none. */
  lastMessage: string
  /** The plan with which the turn ends, and the question about it; '' where there is none. */
  plan: string
  /** The prompt that began the turn. */
  prompt: string
  /** When the prompt was written, Unix ms. */
  promptedAt: number | undefined
  /** Whether reading again may find more, because the transcript does not end with that message. */
  isLate: boolean
  /** Whether the client itself decided about requests for permission, so that nobody was asked. */
  isDecidedByClient: boolean
  /** Calls of tools that had no result at that moment. Some of them may need no permission. */
  openCalls: readonly ToolCall[]
  outcome: Outcome | ''
  /** The client's own words about the outcome. */
  outcomeReason: string
  /** When the turn ended in that way, Unix ms; undefined if the transcript does not say. */
  outcomeAt: number | undefined
  /** Whether a hook made the agent go on at that moment; undefined if that is not written yet. */
  isRefused: boolean | undefined
  /** Whether a prompt was waiting for the end of the turn, if the client writes that. */
  hasQueuedPrompt: boolean
  /** Whether a person's prompt came next, at once; undefined if nothing came yet. */
  isFollowed: boolean | undefined
  /** Ids of the sub-agents that ran in the background. */
  runningAgents: readonly string[]
  tokens: Tokens | undefined
  did: Deeds
}

/** The turn begins with the last prompt before the moment. Later entries count only for how it ended. */
export function turnAt(entries: readonly Entry[], moment: number): TurnFacts {
  const before = untilNextTurn(upTo(entries, moment + CLOCK_SLACK_MS), moment)
  const start = before.findLastIndex(({ type }) => type === 'prompt')
  const prompt = before[start]
  const turn = before.slice(start + 1)
  const answers = turn.flatMap((entry) => (entry.type === 'answer' ? [entry.text] : []))
  const plan = turn.findLast(({ type }) => type === 'plan')
  const end = endOf(entries, before, moment)
  const decider = before.findLast(({ type }) => type === 'decider')
  const said = before.findLast(({ type }) => /^(prompt|answer|call|result)$/.test(type))
  return {
    lastMessage: answers.at(-1) ?? '',
    plan: plan?.type === 'plan' ? plan.text : '',
    prompt: prompt?.type === 'prompt' ? prompt.text : '',
    promptedAt: prompt?.at,
    isLate: said?.type !== 'answer',
    isDecidedByClient: decider?.type === 'decider' && decider.isClient,
    openCalls: openCallsAt(entries, moment),
    outcome: end?.outcome ?? '',
    outcomeReason: end?.reason ?? '',
    outcomeAt: end?.at,
    isRefused: isRefusedAt(entries, moment),
    hasQueuedPrompt: hasQueuedPromptAt(entries, moment),
    isFollowed: isFollowedAt(entries, moment),
    runningAgents: runningAgents(before),
    tokens: sumOf(turn),
    did: deedsOf(turn.flatMap((entry) => (entry.type === 'call' ? [entry] : []))),
  }
}

/** The entries before the next turn, which a prompt that waited may begin at once. */
function untilNextTurn(entries: readonly Entry[], moment: number): readonly Entry[] {
  const next = entries.findIndex(({ type, at = moment }) => type === 'prompt' && at > moment)
  return next < 0 ? entries : entries.slice(0, next)
}

/** A client may write how a turn ended only after its hooks have run. The search stops at the next prompt. */
function endOf(entries: readonly Entry[], before: readonly Entry[], moment: number) {
  for (const entry of entries.slice(before.length)) {
    if (entry.type === 'prompt') break
    if (entry.type === 'end' && (entry.at ?? moment) <= moment + 10_000) return entry
  }
  const last = before.findLast(({ type }) => type === 'prompt' || type === 'end')
  return last?.type === 'end' ? last : undefined
}

/** Reads what the client wrote after its hooks had run. After too many refusals it ends the turn nevertheless. */
function isRefusedAt(entries: readonly Entry[], moment: number): boolean | undefined {
  // Without slack: the hooks for the end before this one may have ended a moment ago.
  const later = entries.slice(upTo(entries, moment - 1).length)
  const [first, next] = later.filter(({ type }) =>
    /^(prompt|answer|call|end|refusedEnd)$/.test(type),
  )
  return first && first.type === 'refusedEnd' && next?.type !== 'end'
}

function hasQueuedPromptAt(entries: readonly Entry[], moment: number): boolean {
  let waiting = 0
  for (const entry of entries) {
    if (entry.type !== 'queue' || (entry.at ?? moment) > moment) continue
    if (entry.change === 'added') waiting += 1
    else waiting = entry.change === 'removed' ? Math.max(0, waiting - 1) : 0
  }
  return waiting > 0
}

/** Skips answers, since the last one of the turn may be written after that moment. */
function isFollowedAt(entries: readonly Entry[], moment: number): boolean | undefined {
  const later = entries.slice(upTo(entries, moment).length)
  const next = later.find(({ type }) => /^(prompt|call|result|refusedEnd)$/.test(type))
  if (next?.type !== 'prompt') return next === undefined ? undefined : false
  return !next.isOwn && (next.at ?? moment) <= moment + QUEUED_PROMPT_MS
}

/** Entries without a time belong to the one before them. */
function upTo(entries: readonly Entry[], moment: number): Entry[] {
  const first = entries.findIndex(({ at }) => at !== undefined && at > moment)
  return first < 0 ? [...entries] : entries.slice(0, first)
}

/** The calls that were open at a moment, even if they have been answered since. */
function openCallsAt(entries: readonly Entry[], moment: number): ToolCall[] {
  const before = upTo(entries, moment + CALL_SLACK_MS)
  const start = before.findLastIndex(({ type }) => type === 'prompt')
  // Without those of earlier turns: some models number their calls anew in each.
  const closed = new Set(
    upTo(entries, moment)
      .slice(start + 1)
      .flatMap((entry) => (entry.type === 'result' ? [entry.id] : [])),
  )
  return before.slice(start + 1).flatMap((entry) => {
    if (entry.type !== 'call' || closed.has(entry.id)) return []
    return [{ id: entry.id, name: entry.name, input: entry.input }]
  })
}

function runningAgents(entries: readonly Entry[]): string[] {
  const running = new Set<string>()
  for (const entry of entries) {
    if (entry.type === 'agentStarted') running.add(entry.id)
    if (entry.type !== 'agentOver') continue
    if (entry.id) running.delete(entry.id)
    else running.clear()
  }
  return [...running]
}

function isGoingOn(entry: Entry): boolean {
  return entry.type === 'prompt' ? !entry.isOwn : /^(end|refusedEnd|replied)$/.test(entry.type)
}

function sumOf(turn: readonly Entry[]): Tokens | undefined {
  const byCall = new Map<string, Tokens>()
  for (const entry of turn) {
    if (entry.type === 'usage') byCall.set(entry.id || `#${byCall.size}`, entry.tokens)
  }
  if (byCall.size === 0) return undefined
  const sum = { input: 0, output: 0 }
  for (const { input, output } of byCall.values()) {
    sum.input += input
    sum.output += output
  }
  return sum
}

/**
 * When the session went on past a question that was asked then, which shows that it was answered, Unix ms; undefined if it
 * did not. A tool that was allowed shows it only when it has ended.
 */
export function wentOnAfter(
  entries: readonly Entry[],
  asked: { at: number; toolUseId?: string },
): number | undefined {
  const later = timed(entries.slice(upTo(entries, asked.at).length), asked.at)
  // Other calls of the same message may have needed no permission. So unless the call is known, all must be over.
  const calls = asked.toolUseId
    ? [asked.toolUseId]
    : openCallsAt(entries, asked.at).map(({ id }) => id)
  const open = new Set(calls)
  for (const { entry, at } of later) {
    if (isGoingOn(entry)) return at
    if (calls.length === 0 && /^(result|answer)$/.test(entry.type)) return at
    if (entry.type === 'result' && open.delete(entry.id) && open.size === 0) return at
  }
  return undefined
}

/** Each entry with its time. One without a time has that of the entry before it. */
function timed(entries: readonly Entry[], start: number) {
  let last = start
  return entries.map((entry) => {
    last = entry.at ?? last
    return { entry, at: last }
  })
}

/**
 * Lists everything, because the counts are shown. Only the part of the transcript that is read limits how much that is.
 */
export function deedsOf(calls: readonly Call[]): Deeds {
  const tools = new Map<string, number>()
  const files = new Set<string>()
  const commands = new Set<string>()
  for (const { name, input } of calls) {
    if (name) tools.set(name, (tools.get(name) ?? 0) + 1)
    for (const file of CHANGES.test(name) ? filesOf(input) : []) files.add(short(file))
    const command = isPayload(input) ? commandIn(input) : ''
    if (command) commands.add(short(command))
  }
  return { tools: Object.fromEntries(tools), files: [...files], commands: [...commands] }
}

function short(text: string): string {
  return startOf(text, MAX_TEXT)
}

function filesOf(input: unknown): string[] {
  if (!isPayload(input)) return []
  const path = pathIn(input)
  if (path) return [path]
  const patch = textOf(input, 'input', 'patch', 'diff')
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, file = '']) =>
    file.trim(),
  )
}
