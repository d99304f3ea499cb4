import { type JournalEntry, parseEntry } from './entry.ts'

/** What counting needs of an entry. */
export interface Outline {
  id: string
  /** For an accepted event when the front door stored it, else when it was recorded; Unix ms. */
  at: number
  type: JournalEntry['type']
  /** The channels it is for, or the one it is about; one name per line. After an empty line those that people see. */
  channels: string
}

// Most lines are of two types, and the most of them is text that is not counted. JSON.parse would take twice the time
// of all the rest together, so these are only looked at, as far as their form proves that they are whole.
const NAME = '[\\w.-]+'
const INTEGER = '(?:0|[1-9]\\d*)'
const STRING =
  '"[^"\\\\\\x00-\\x1f]*(?:\\\\(?:["\\\\/bfnrt]|u[\\da-fA-F]{4})[^"\\\\\\x00-\\x1f]*)*"'
const USUAL = new RegExp(
  `\\{"at":(${INTEGER}),"id":"(${NAME})","type":"(?:` +
    `accepted","acceptedAt":(${INTEGER}),"|` +
    `delivered","channel":"(${NAME})","attempt":${INTEGER},"ms":${INTEGER}(?:\\.\\d+)?,` +
    `"answer":${STRING}(?:,"summary":"${NAME}")?\\}\\n)`,
  'y',
)
/** A list or a field that stands at the top level alone: a line that was cut does not end so. */
const WHOLE = new RegExp(
  `(?:[^\\\\:,[]"\\}?\\]|,"(?:fingerprint|duplicateOf)":"${NAME}"|,"shared":true)\\}$`,
)
const LONGEST_END = 200
const TO = ',"to":'
const LIST = `\\["(${NAME}(?:","${NAME})*)"\\]`
const NAMES = new RegExp(`,"to":${LIST}(?:,"people":${LIST})?`, 'y')

/**
 * One line of the journal as far as it is counted.
 * @param text bytes of the journal, one character for each
 * @param end where the line's newline is
 */
export function outlineLine(text: string, start: number, end: number): Outline | undefined {
  USUAL.lastIndex = start
  const [, at, id, acceptedAt, channel] = USUAL.exec(text) ?? []
  if (id !== undefined) {
    if (channel !== undefined) return { id, at: Number(at), type: 'delivered', channels: channel }
    const channels = channelsOfWhole(text, start, end)
    if (channels !== undefined) {
      return { id, at: Number(acceptedAt), type: 'accepted', channels }
    }
  }
  const entry = parseEntry(decodeBytes(text.slice(start, end)))
  return entry && outlineEntry(entry)
}

/** Text of which each character is a byte, as UTF-8. */
export function decodeBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString()
}

export function outlineEntry(entry: JournalEntry): Outline {
  const { id, type } = entry
  if (entry.type === 'accepted') {
    const { to = [], people = [] } = entry
    const channels = people.length > 0 ? [...to, '', ...people] : to
    return { id, at: entry.acceptedAt, type, channels: channels.join('\n') }
  }
  const channel = 'channel' in entry ? entry.channel : undefined
  return { id, at: entry.at, type, channels: channel ?? '' }
}

/** @returns undefined where only a parser can tell */
function channelsOfWhole(text: string, start: number, end: number): string | undefined {
  if (!WHOLE.test(text.slice(Math.max(start, end - LONGEST_END), end))) return undefined
  const line = text.slice(start, end)
  // What a power cut leaves of a block that was not written, and a line that was cut before another.
  if (line.includes('\0') || line.lastIndexOf('{"at":') > 0) return undefined
  // Not inside a text, where each quote has a backslash before it.
  const at = line.lastIndexOf(TO)
  if (at < 0) return ''
  NAMES.lastIndex = at
  const [, to, people] = NAMES.exec(line) ?? []
  const lists = people === undefined ? to : `${to}\n\n${people}`
  return lists?.replaceAll('","', '\n')
}
