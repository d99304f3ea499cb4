import { channelBodyProblems } from '../../config/body-problems.ts'
import { CurrentConfig } from '../../config/current.ts'
import { isHubMachine } from '../../config/hub-machine.ts'
import { configDir, stateDir } from '../../config/paths.ts'
import type { Facts } from '../../doctor/check.ts'
import { describeError } from '../../errors.ts'
import { packageVersion } from '../../package-root.ts'
import { mutesInForce } from '../../policy/mute-file.ts'
import { cleanText } from '../../text/clean.ts'
import { isOnHold } from '../../worker/on-hold.ts'
import { allStateFolders, withEvents } from '../_events.ts'
import { templateProblemsIn } from '../status/problems.ts'

/** Gathers what the checks of `doctor` look at. */
export async function gatherFacts(): Promise<Facts> {
  const folders = allStateFolders()
  const events = folders.flatMap(readQuietly)
  const now = Date.now()
  const config = new CurrentConfig(configDir(), stateDir())
  await config.fetchSecrets()
  const loaded = config.get()
  const hasHub = loaded.config.hub !== undefined || loaded.hubProblem !== undefined
  const channelTypes = Object.values(loaded.config.channels).map(({ type }) => type)
  const named = loaded.config.routes.flatMap(({ template }) => (template ? [template] : []))
  return {
    env: process.env,
    cwd: process.cwd(),
    stateDir: stateDir(),
    configDir: configDir(),
    folders,
    loaded,
    templateProblems: [
      ...(await templateProblemsIn(configDir(), named)),
      ...(await channelBodyProblems(loaded.config)),
    ],
    events,
    isHub: isHubMachine(hasHub, channelTypes),
    isOnHold: folders.some(isOnHold),
    mutes: mutesInForce(folders, now),
    version: packageVersion(),
    now,
  }
}

/** Prints why a journal cannot be opened; another check reports the cause. */
function readQuietly(folder: string) {
  try {
    return withEvents([folder], ({ all, inFull }) => inFull(all))
  } catch (error) {
    process.stderr.write(`${cleanText(describeError(error))}\n`)
    return []
  }
}
