/** A string with known values that may get more: editors suggest the known ones, every string passes. */
export type Open<Value extends string> = Value | (string & {})

declare const unlisted: unique symbol

/**
 * A string that this version does not know. Not declared as a string, since the compiler could not tell the known
 * ones apart then: `block.type === 'text'` would not make `block` a `TextBlock`. `String(…)` gives its text.
 */
export interface Unlisted {
  readonly [unlisted]: true
  toString(): string
}

/** Stands for the input of an endpoint that takes none. */
export type NoInput = Readonly<Record<string, never>>
