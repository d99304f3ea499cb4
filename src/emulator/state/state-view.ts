import type { State } from './state.ts'

/** The state as others may see it: complete, but without the values of keys. */
export type StateView = Omit<State, 'keys'> & { keys: Omit<State['keys'][number], 'value'>[] }

/** A copy of the state without the values of keys. */
export function viewState(state: State): StateView {
  const { keys, ...others } = structuredClone(state)
  return { ...others, keys: keys.map(({ value: _, ...key }) => key) }
}
