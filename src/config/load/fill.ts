import { defaultChannels } from '../schema/schema.ts'
import { type Direct, parseDirect } from './direct.ts'
import { type Expanded, expandChannels, type SecretValues } from './expand.ts'
import { expandHub, withHubChannels } from './hub.ts'

/** A configuration with its references filled in, and with a channel for each channel of the hub. */
export interface Filled extends Omit<Expanded, 'channels'> {
  settings: object
  direct: Direct
  hubProblem: string | undefined
}

/** Fills in the references of a configuration that is not validated yet. */
export function fillIn(raw: Record<string, unknown>, values: SecretValues): Filled {
  const { channels, ...state } = expandChannels(withHubChannels(raw, defaultChannels), values)
  const ofHub = expandHub(raw, values)
  const direct = parseDirect(raw, values)
  return {
    ...state,
    settings: { ...raw, ...(channels && { channels }), hub: ofHub.hub },
    direct,
    hubProblem: ofHub.problem,
    unset: [...new Set([...state.unset, ...ofHub.unset, ...direct.unset])],
    sources: { ...state.sources, ...direct.sources },
    used: [...state.used, ...ofHub.used, ...direct.used],
  }
}
