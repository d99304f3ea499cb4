import { fieldOf, isPayload, type Payload, textOf } from '../../event/payload.ts'
import { startOf } from '../../text/clean.ts'
import type { Entry, EntryContent } from './entry.ts'

/** Longer than anybody reads. */
const MAX_TEXT = 64 * 1024

/** The time of a line. */
export function timeOf(record: Payload): number | undefined {
  const at = Date.parse(textOf(record, 'timestamp'))
  return Number.isNaN(at) ? undefined : at
}

/** The objects in a list; none if the field is not a list. */
export function objectsOf(record: Payload, path: string): Payload[] {
  const list = fieldOf(record, path)
  return Array.isArray(list) ? list.filter(isPayload) : []
}

/** The text of blocks such as `{type: 'text', text}`; some clients write a plain string instead. */
export function blockText(content: unknown, types: readonly string[] = ['text']): string {
  if (typeof content === 'string') return withoutNotes(content)
  if (!Array.isArray(content)) return ''
  const texts = content
    .filter(isPayload)
    .filter(({ type }) => type === undefined || types.includes(String(type)))
    .map(({ text }) => (typeof text === 'string' ? text : ''))
  return withoutNotes(texts.join('\n'))
}

const NOTE =
  /<(system-reminder|local-command-[a-z]+|command-[a-z]+|bash-[a-z]+|session_context|environment_context|user_instructions|turn_aborted|ide_[a-z_]+)>/g

/** Removes the notes that the client adds to what people write and read. Linear time, even if no tag is closed. */
function withoutNotes(text: string): string {
  const kept: string[] = []
  const unclosed = new Set<string>()
  let from = 0
  for (const { 0: open, 1: tag = '', index } of text.matchAll(NOTE)) {
    if (index < from || unclosed.has(tag)) continue
    const close = `</${tag}>`
    const end = text.indexOf(close, index + open.length)
    if (end < 0) unclosed.add(tag)
    else {
      kept.push(text.slice(from, index))
      from = end + close.length
    }
  }
  return startOf([...kept, text.slice(from)].join('').trim(), MAX_TEXT)
}

/** The first of the fields that is a number of at least 0; 0 if none is. */
export function countOf(record: Payload, ...paths: readonly string[]): number {
  for (const path of paths) {
    const value = fieldOf(record, path)
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  }
  return 0
}

/** The entries of all lines, by what is in each. */
export function entriesOf(
  records: readonly Payload[],
  contentsOf: (record: Payload, index: number) => readonly EntryContent[],
): Entry[] {
  return records.flatMap((record, index) => entriesAt(timeOf(record), contentsOf(record, index)))
}

/** The entries of one line, all with the time of that line. */
export function entriesAt(at: number | undefined, contents: readonly EntryContent[]): Entry[] {
  return contents.map((content) => ({ ...content, at }))
}

/** A prompt; none without a text. */
export function promptOf(text: string): EntryContent[] {
  return text ? [{ type: 'prompt', text }] : []
}

/** An answer; none without a text. */
export function answerOf(text: string): EntryContent[] {
  return text ? [{ type: 'answer', text }] : []
}

/** The model of the session; none without a name. */
export function modelOf(model: string): EntryContent[] {
  return model ? [{ type: 'session', model }] : []
}

/** The tokens of one call of the model; none if the line reports none. @param input includes `cached` */
export function usageOf(
  id: string,
  { input, cached, output }: { input: number; cached: number; output: number },
): EntryContent[] {
  if (input + output === 0) return []
  return [{ type: 'usage', id, tokens: { input: Math.max(0, input - cached), output } }]
}

/** The value of a JSON text; `{ input: text }` for any other text. Anything but a string stays as it is. */
export function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return { input: text }
  }
}
