/** A string whose known values may be extended: editors suggest the known ones, every string is accepted. */
export type Open<Value extends string> = Value | (string & {})

declare const unlisted: unique symbol

/**
 * A string that this version does not know. Not declared as a string, since the compiler could then not narrow the
 * known ones: `block.type === 'text'` would not make `block` a `TextBlock`. `String(…)` gives its text.
 */
export interface Unlisted {
  readonly [unlisted]: true
  toString(): string
}

/** The input of an endpoint that takes none. */
export type NoInput = Readonly<Record<string, never>>
