import { readTail } from './tail.ts'

/** Enough for the end of most turns; a long one is looked for once more, further back. */
const TAIL_BYTES = 256 * 1024
const LONG_TAIL_BYTES = 4 * 1024 * 1024
/** File times are a few milliseconds coarser than those in a transcript. */
const CLOCK_SLACK_MS = 100

export interface TranscriptFacts {
  /** Text of the turn's last assistant message; '' where there is none. */
  lastMessage: string
  /** When the prompt of the turn was written, Unix ms. */
  promptedAt: number | undefined
  /** Whether looking again may tell more: the last thing in it is not that message. */
  isLate: boolean
}

interface Entry {
  role: string
  text: string
  at: number
  /** Something that only a later answer of the assistant can follow: a tool's use or result. */
  isTool: boolean
}

/**
 * What the tail of a transcript tells of the turn that ended at `endedAt`. Reads droid's and Claude Code's: both
 * keep one JSON object per line with a `message`.
 */
export async function readTranscript(
  path: string,
  roots: readonly string[],
  endedAt: number,
): Promise<TranscriptFacts> {
  const { text, isAll, isRefused } = await readTail(path, roots, TAIL_BYTES)
  if (isRefused) return { lastMessage: '', promptedAt: undefined, isLate: false }
  const facts = factsOf(text, endedAt)
  if (facts.promptedAt !== undefined || isAll) return facts
  const longer = await readTail(path, roots, LONG_TAIL_BYTES)
  return factsOf(longer.text, endedAt)
}

/** From the end back to the prompt. Whatever came after the turn is not about it. */
function factsOf(text: string, endedAt: number): TranscriptFacts {
  const facts: TranscriptFacts = { lastMessage: '', promptedAt: undefined, isLate: true }
  let isLast = true
  for (const line of text.split('\n').reverse()) {
    const entry = readEntry(line)
    if (!entry || entry.at > endedAt + CLOCK_SLACK_MS) continue
    if (entry.role === 'user' && entry.text) return { ...facts, promptedAt: entry.at }
    if (entry.role === 'assistant' && entry.text) {
      if (isLast && !entry.isTool) facts.isLate = false
      facts.lastMessage ||= entry.text
    }
    if (entry.text || entry.isTool) isLast = false
  }
  return facts
}

/** @returns undefined for lines of other kinds, half-written ones, and those of sub-agents */
function readEntry(line: string): Entry | undefined {
  try {
    const { message, timestamp, isSidechain, isMeta, isCompactSummary } = JSON.parse(line)
    if (isSidechain || isMeta || isCompactSummary) return undefined
    const at = Date.parse(timestamp)
    if (typeof message?.role !== 'string' || Number.isNaN(at)) return undefined
    const { content, role } = message
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    if (!Array.isArray(blocks)) return undefined
    const isTool = blocks.some((block) => /^tool_(use|result)$/.test(block?.type))
    return { role, text: textOf(blocks), at, isTool }
  } catch {
    return undefined
  }
}

/** What a person wrote or read: notes that the client adds are taken out. */
function textOf(blocks: readonly { type?: unknown; text?: unknown }[]): string {
  return blocks
    .map((block) => (block?.type === 'text' && typeof block.text === 'string' ? block.text : ''))
    .join('\n')
    .replace(/<(system-reminder|local-command-\w+|command-\w+|bash-\w+)>[\s\S]*?<\/\1>/g, '')
    .trim()
}
