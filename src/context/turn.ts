import { type Deeds, deedsOf } from './deeds.ts'
import type { Entry, Outcome, Tokens } from './transcripts/entry.ts'

/** File times are a few milliseconds coarser than those in a transcript. */
const CLOCK_SLACK_MS = 100
/** A question's call may carry a time a little after its hook has started. */
const CALL_SLACK_MS = 1000

export interface ToolCall {
  id: string
  name: string
  input: unknown
}

/** What a transcript tells of the turn that was going on at a moment. */
export interface TurnFacts {
  /** Text of the turn's last assistant message; '' where there is none. */
  lastMessage: string
  /** What the person had written to begin the turn. */
  prompt: string
  /** When, Unix ms. */
  promptedAt: number | undefined
  /** Whether looking again may tell more: the last thing in it is not that message. */
  isLate: boolean
  /** Calls of tools that had no result at that moment. Clients ask for one after the other. */
  openCalls: readonly ToolCall[]
  outcome: Outcome | ''
  /** What the client says about that. */
  outcomeReason: string
  tokens: Tokens | undefined
  did: Deeds
}

/** From the last prompt on. Whatever came after the moment is not about it. */
export function turnAt(entries: readonly Entry[], moment: number): TurnFacts {
  const before = upTo(entries, moment + CLOCK_SLACK_MS)
  const start = before.findLastIndex(({ type }) => type === 'prompt')
  const prompt = before[start]
  const turn = before.slice(start + 1)
  const answers = turn.flatMap((entry) => (entry.type === 'answer' ? [entry.text] : []))
  const end = endOf(entries, before, moment)
  const said = before.findLast(({ type }) => /^(prompt|answer|call|result)$/.test(type))
  return {
    lastMessage: answers.at(-1) ?? '',
    prompt: prompt?.type === 'prompt' ? prompt.text : '',
    promptedAt: prompt?.at,
    isLate: said?.type !== 'answer',
    openCalls: openCallsAt(entries, moment),
    outcome: end?.outcome ?? '',
    outcomeReason: end?.reason ?? '',
    tokens: sumOf(turn),
    did: deedsOf(turn.flatMap((entry) => (entry.type === 'call' ? [entry] : []))),
  }
}

/** A client may write how a turn ended when the hooks of its end are through; the next prompt ends the search. */
function endOf(entries: readonly Entry[], before: readonly Entry[], moment: number) {
  for (const entry of entries.slice(before.length)) {
    if (entry.type === 'prompt') break
    if (entry.type === 'end' && (entry.at ?? moment) <= moment + 10_000) return entry
  }
  const last = before.findLast(({ type }) => type === 'prompt' || type === 'end')
  return last?.type === 'end' ? last : undefined
}

/** Entries without a time happened with the one before them. */
function upTo(entries: readonly Entry[], moment: number): Entry[] {
  const first = entries.findIndex(({ at }) => at !== undefined && at > moment)
  return first < 0 ? [...entries] : entries.slice(0, first)
}

/** The calls that waited at a moment, even where they have been answered since. */
function openCallsAt(entries: readonly Entry[], moment: number): ToolCall[] {
  const before = upTo(entries, moment + CALL_SLACK_MS)
  const start = before.findLastIndex(({ type }) => type === 'prompt')
  const closed = new Set(
    upTo(entries, moment).flatMap((entry) => (entry.type === 'result' ? [entry.id] : [])),
  )
  return before.slice(start + 1).flatMap((entry) => {
    if (entry.type !== 'call' || closed.has(entry.id)) return []
    return [{ id: entry.id, name: entry.name, input: entry.input }]
  })
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

/** Whether the session went on past a question that was asked then: evidence that it was answered. */
export function wentOnAfter(
  entries: readonly Entry[],
  asked: { at: number; toolUseId?: string },
): boolean {
  const later = entries.slice(upTo(entries, asked.at).length)
  if (later.some(({ type }) => type === 'prompt' || type === 'end' || type === 'replied'))
    return true
  const call = asked.toolUseId || openCallsAt(entries, asked.at)[0]?.id
  // Another call of the same message may have needed nobody's leave.
  if (call) return later.some((entry) => entry.type === 'result' && entry.id === call)
  return later.some(({ type }) => type === 'result' || type === 'answer')
}
