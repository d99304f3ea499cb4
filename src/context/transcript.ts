import { tailLines } from './tail.ts'

export interface TranscriptFacts {
  /** Text of the last assistant message; '' where the tail has none. */
  lastMessage: string
  /** When the last prompt of a person was written, Unix ms. */
  promptedAt: number | undefined
}

interface Entry {
  role: string
  text: string
  at: number
}

/** Reads the tail of a transcript, droid's or Claude Code's: both keep one JSON object per line with a `message`. */
export async function readTranscript(
  path: string,
  roots: readonly string[],
): Promise<TranscriptFacts> {
  const facts: TranscriptFacts = { lastMessage: '', promptedAt: undefined }
  for (const line of (await tailLines(path, roots)).reverse()) {
    const entry = readEntry(line)
    if (!entry?.text) continue
    if (entry.role === 'assistant') facts.lastMessage ||= entry.text
    if (entry.role === 'user') return { ...facts, promptedAt: entry.at }
  }
  return facts
}

/** @returns undefined for lines of other kinds, half-written ones, and those of sub-agents */
function readEntry(line: string): Entry | undefined {
  try {
    const { message, timestamp, isSidechain, isMeta } = JSON.parse(line)
    if (isSidechain || isMeta || typeof message?.role !== 'string') return undefined
    const text = textOf(message.content)
    const at = Date.parse(timestamp)
    return Number.isNaN(at) ? undefined : { role: message.role, text, at }
  } catch {
    return undefined
  }
}

/** What a person wrote or read: notes that the client adds are taken out, tool results have no text block. */
function textOf(content: unknown): string {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  if (!Array.isArray(blocks)) return ''
  return blocks
    .map((block) => (block?.type === 'text' && typeof block.text === 'string' ? block.text : ''))
    .join('\n')
    .replace(/<(system-reminder|local-command-stdout|command-name)>[\s\S]*?<\/\1>/g, '')
    .trim()
}
