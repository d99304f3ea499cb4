import { defaultChannels } from '../schema/schema.ts'
import { type Expanded, expandChannels, type SecretValues } from './expand.ts'
import { expandHub, withHubChannels } from './hub.ts'
import { parseStandIns } from './stand-ins.ts'

/** A configuration with its references filled in, and with a channel for each channel of the hub. */
export interface Filled
  extends Omit<Expanded, 'channels'>,
    Pick<ReturnType<typeof parseStandIns>, 'standIns' | 'faultsInStandIns'> {
  settings: object
  hubProblem: string | undefined
}

/** Fills in the references of a configuration that is not validated yet. */
export function fillIn(raw: Record<string, unknown>, values: SecretValues): Filled {
  const { channels, ...state } = expandChannels(withHubChannels(raw, defaultChannels), values)
  const ofHub = expandHub(raw, values)
  const ofStandIns = parseStandIns(raw, values)
  return {
    ...state,
    ...ofStandIns,
    settings: { ...raw, ...(channels && { channels }), hub: ofHub.hub },
    hubProblem: ofHub.problem,
    unset: [...new Set([...state.unset, ...ofHub.unset, ...ofStandIns.unset])],
    sources: { ...state.sources, ...ofStandIns.sources },
    used: [...state.used, ...ofHub.used, ...ofStandIns.used],
  }
}
