import { isLiteral, type Shape, VALUE } from './secret-shape.ts'

/**
 * The rest of a command: up to its end, the end of a sentence or of a code span. The options of a program mean nothing
 * behind that: `-p8080` is a port.
 */
const REST = String.raw`\s(?:\\[\s\S]|[^|;&\n\x60.'"\\]|\.(?!\s)|"(?:[^"\\\n]|\\.){0,300}"|'[^'\n]{0,300}'|["'\\])*`

/** A quote, which is escaped if the command is in JSON. */
export const QUOTE = String.raw`\\?["']?`

/** The place of a value in a command. */
export interface CommandPart {
  /** Alternatives of program names. */
  readonly programs: string
  /** What precedes the value, without a quote. */
  readonly option: string
  readonly words: readonly string[]
  /** By default any literal. */
  readonly accept?: Shape['accept']
}

export function commandShape({ programs, option, words, accept = isLiteral }: CommandPart): Shape {
  return {
    words,
    scope: new RegExp(String.raw`(?<![\w.-])(?:${programs})${REST}`, 'g'),
    pattern: new RegExp(String.raw`(?<keep>\s${option}${QUOTE})${VALUE}`, 'g'),
    accept,
  }
}

export const REDIS = '(?:redis|valkey|keydb)-cli'
