import { type Check, check, type Facts } from '../../doctor/check.ts'
import { howToRepair } from '../../doctor/config.ts'
import { reachHub } from '../hub/reach.ts'

/** Checks whether the hub of this machine can be reached, if one is configured. */
export async function checkHub({ loaded }: Facts): Promise<Check[]> {
  const { config, hubProblem } = loaded
  if (!config.hub && hubProblem === undefined) return []
  const reach = await reachHub()
  if (reach === 'reachable') return [check('hub.reach', 'ok', reach)]
  const elsewhere = 'Check the network, "hub" in config.json and the Redis of the hub; or --offline'
  return [check('hub.reach', 'broken', reach, hubProblem ? howToRepair(hubProblem) : elsewhere)]
}
