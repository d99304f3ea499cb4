import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { frontDoorIn } from '../config/paths.ts'
import { isPinRefused, pinnedPath } from '../config/pinned.ts'
import { isTrusted, isTrustedIfPresent } from '../fs/ownership.ts'
import { listQuietly } from '../fs/read.ts'

/** Why the registered commands store nothing, or start no worker; undefined if everything is in place. */
export function doorFault(stateDir: string): string | undefined {
  const door = frontDoorIn(stateDir)
  if (!existsSync(door)) return `no ${door}`
  if (!isExecutable(door)) return `${door} is not executable`
  const worker = join(stateDir, 'runtime/dist/worker.cjs')
  if (!existsSync(worker)) return `no ${worker}, so no worker starts`
  const dist = dirname(worker)
  const packages = listQuietly(join(dist, 'packages')).filter((name) => name.endsWith('.cjs'))
  const loaded = ['worker-code.cjs', 'packages', ...packages.map((name) => join('packages', name))]
  const pinned = pinnedPath(stateDir)
  const path =
    [dirname(dist), dist, worker].find((one) => !isTrusted(one)) ??
    [pinned, ...loaded.map((name) => join(dist, name))].find((one) => !isTrustedIfPresent(one))
  if (path) return `another user owns or can change ${path}, so no worker starts`
  return isPinRefused(stateDir) ? `${pinned} is damaged, so no worker starts` : undefined
}

/** Says if another user could have written the front door. Nothing else warns: agents start it without a check. */
export function doorRisk(stateDir: string): string | undefined {
  const door = frontDoorIn(stateDir)
  return isTrustedIfPresent(door)
    ? undefined
    : `another user owns or can change ${door}, which agents run`
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
