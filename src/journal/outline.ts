import { type JournalEntry, parseEntry } from './entry.ts'

/** The parts of an entry that the tally needs. */
export interface Outline {
  id: string
  /** For an accepted event when the front door stored it, else when it was recorded; Unix ms. */
  at: number
  type: JournalEntry['type']
  /** The channels it is for, or the one it is about; one name per line. After an empty line, those that people read. */
  channels: string
}

// Most lines are of two types and consist mostly of text that is not counted. JSON.parse would take twice the time of
// all the rest together, so these lines are matched by patterns, if their form proves that they are complete.
const NAME = '[\\w.-]+'
const INTEGER = '(?:0|[1-9]\\d*)'
/** Of at most 15 digits; the parser decides about longer ones. */
const TIME = '(?:0|[1-9]\\d{0,14})'
const STRING =
  '"[^"\\\\\\x00-\\x1f]*(?:\\\\(?:["\\\\/bfnrt]|u[\\da-fA-F]{4})[^"\\\\\\x00-\\x1f]*)*"'
const USUAL = new RegExp(
  `\\{"at":(${TIME}),"id":"(${NAME})","type":"(?:` +
    `accepted","acceptedAt":(${TIME}),"|` +
    `delivered","channel":"(${NAME})","attempt":${INTEGER},"ms":${INTEGER}(?:\\.\\d+)?,` +
    `"answer":${STRING}(?:,"summary":"${NAME}")?\\}\\n)`,
  'y',
)
/** A list, or a field that exists only at the top level, at the end: a line that was cut does not end like that. */
const WHOLE = new RegExp(
  `(?:[^\\\\:,[]"\\}?\\]|,"(?:fingerprint|duplicateOf)":"${NAME}"|,"shared":true)\\}$`,
)
const LONGEST_END = 200
const TO = ',"to":'
const LIST = `\\["(${NAME}(?:","${NAME})*)"\\]`
const NAMES = new RegExp(`,"to":${LIST}(?:,"people":${LIST})?`, 'y')

/**
 * Outlines one line of the journal. @returns undefined if it is not an entry
 * @param text bytes of the journal, one character per byte
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
  return parseLine(text, start, end)
}

/** As `outlineLine`, but faster for the first hundreds of lines, before compiling the patterns pays off. */
export function parseLine(text: string, start: number, end: number): Outline | undefined {
  const entry = parseEntry(decodeBytes(text.slice(start, end)))
  return entry && outlineEntry(entry)
}

/** Decodes UTF-8 from a text that has one character per byte. */
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

/** The channels of a complete `accepted` line. @returns undefined if the line has to be parsed */
function channelsOfWhole(text: string, start: number, end: number): string | undefined {
  if (!WHOLE.test(text.slice(Math.max(start, end - LONGEST_END), end))) return undefined
  const line = text.slice(start, end)
  // NUL bytes are a block lost in a power cut; a second beginning means that a cut line precedes another.
  if (line.includes('\0') || line.includes('{"at":', 1)) return undefined
  // This cannot match inside a text, where each quote has a backslash before it.
  const at = line.lastIndexOf(TO)
  if (at < 0) return ''
  NAMES.lastIndex = at
  const [, to, people] = NAMES.exec(line) ?? []
  const lists = people === undefined ? to : `${to}\n\n${people}`
  return lists?.replaceAll('","', '\n')
}
