import { channelBodyProblems } from '../../config/body-problems.ts'
import { CurrentConfig } from '../../config/current.ts'
import { isHubMachine } from '../../config/hub-machine.ts'
import { configDir, stateDir } from '../../config/paths.ts'
import type { Facts } from '../../doctor/check.ts'
import { packageVersion } from '../../package-root.ts'
import { mutesInForce } from '../../policy/mute-file.ts'
import { isOnHold } from '../../spool/requests.ts'
import { allInFull, allStateFolders } from '../_events.ts'
import { templateProblemsIn } from '../status/problems.ts'

/** Gathers what the checks of `doctor` look at. */
export async function gatherFacts(): Promise<Facts> {
  const folders = allStateFolders()
  const read = folders.map(readEvents)
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
    events: read.flatMap(({ events }) => events),
    unread: read.flatMap(({ unread = [] }) => unread),
    isHub: isHubMachine(hasHub, channelTypes),
    isOnHold: folders.some(isOnHold),
    mutes: mutesInForce(folders, now),
    version: packageVersion(),
    now,
  }
}

function readEvents(folder: string): Pick<Facts, 'events' | 'unread'> {
  try {
    return { events: allInFull([folder]) }
  } catch (error) {
    return { events: [], unread: [error] }
  }
}
