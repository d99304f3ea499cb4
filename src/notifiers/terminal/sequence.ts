import { boundLine } from '../_text.ts'
import type { Urgency } from '../define.ts'

export const modes = ['auto', 'bell', 'osc9', 'osc777', 'osc99'] as const
export type Sequence = Exclude<(typeof modes)[number], 'auto'>
/** The multiplexer between session and terminal, which lets a sequence through only if it is wrapped. */
export type Multiplexer = 'none' | 'tmux' | 'screen'

export interface Call {
  title: string
  body: string
  urgency: Urgency
  /** Identifies the session: a newer call with the same id replaces the older one. `[a-z0-9]` only. */
  id: string
}

const TITLE_LENGTH = 100
const BODY_LENGTH = 200
// GNU screen gives up on strings of more than 255 bytes.
const SCREEN_CHUNK = /.{1,60}/gsu

const ESC = '\x1b'
const BEL = '\x07'
const ST = `${ESC}\\`

/** The sequence that a terminal is known to show, by any of its names. */
export function sequenceFor(names: readonly string[]): Sequence {
  const known: [RegExp, Sequence][] = [
    [/kitty/i, 'osc99'],
    [/ghostty|wezterm|warp|^foot/i, 'osc777'],
    [/iterm/i, 'osc9'],
  ]
  const found = known.find(([pattern]) => names.some((name) => pattern.test(name)))
  return found ? found[1] : 'bell'
}

/** The bytes that make a terminal show the call. They move no cursor and print nothing. */
export function renderSequence(sequence: Sequence, call: Call, through: Multiplexer): string {
  // Not wrapped: multiplexers handle a bell themselves, and mark the window that rang.
  if (sequence === 'bell') return BEL
  const text = renderers[sequence](call)
  // tmux passes nothing else on unless `allow-passthrough` is set.
  if (through === 'tmux') return `${ESC}Ptmux;${text.replaceAll(ESC, ESC + ESC)}${ST}${BEL}`
  // The string terminator would end the outer sequence too.
  return through === 'screen' ? inChunks(toAscii(text.replaceAll(ST, BEL))) : text
}

const renderers = {
  osc9: ({ title, body }: Call) => {
    // One text: without a mark between them, the title would go on as the body.
    const text = boundLine([title, body].filter(Boolean).join(' - '), BODY_LENGTH)
    // A number and a semicolon would be a command, such as the one for progress.
    return `${ESC}]9;${/^\d+;/.test(text) ? 'hookbell: ' : ''}${text}${BEL}`
  },
  osc777: ({ title, body }: Call) => {
    const heading = boundLine(title, TITLE_LENGTH).replaceAll(';', ',')
    return `${ESC}]777;notify;${heading};${boundLine(body, BODY_LENGTH)}${BEL}`
  },
  // https://sw.kovidgoyal.net/kitty/desktop-notifications/. No reply is requested: the terminal would
  // type it into the agent.
  osc99: ({ title, body, urgency, id }: Call) => {
    const level = { low: 0, normal: 1, critical: 2 }[urgency]
    const part = (keys: string, text: string, max: number) =>
      `${ESC}]99;i=hookbell-${id}:${keys}:e=1;${encode(boundLine(text, max))}${ST}`
    return (
      part('d=0:p=title', title, TITLE_LENGTH) +
      part(`d=1:p=body:u=${level}:a=focus`, body, BODY_LENGTH)
    )
  },
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** GNU screen may keep only one byte of a character: for U+011B (`e` with a caron) that is ESC. */
function toAscii(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[·–—•]/g, '-')
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[^\0-\x7f]/gu, '?')
}

function inChunks(text: string): string {
  const chunks = text.match(SCREEN_CHUNK) ?? []
  return chunks.map((chunk) => `${ESC}P${chunk}${ST}`).join('')
}
