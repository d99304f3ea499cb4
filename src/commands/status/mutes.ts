import { muteProblem, mutesInForce } from '../../policy/mute-file.ts'
import { extentOf } from '../../policy/mutes.ts'

/** What is muted now, with the extent of each mute in words. */
export function mutesNow(folders: readonly string[]) {
  return mutesInForce(folders, Date.now()).map((mute) => ({ ...mute, extent: extentOf(mute) }))
}

export function muteProblemsIn(folders: readonly string[]): string[] {
  return folders.map(muteProblem).filter((one) => one !== undefined)
}
