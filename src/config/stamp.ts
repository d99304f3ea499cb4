import { readlinkSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { errorCode } from '../errors.ts'
import { realPath } from '../fs/links.ts'
import { environmentFile } from './environment.ts'
import { configPath, misnamedPath, secretsPath } from './paths.ts'
import { plainTemplates } from './template-names.ts'

/**
 * How long saving a file may take: an editor may empty it, or move it away, before it writes the new content. So a file
 * counts as broken or removed only after it has been so for this long.
 */
export const SAVING_MS = 2000

/** A text that changes whenever the configuration may have changed; cheap enough to compute for each event. */
export function configStamp(configDir: string, stateDir: string): string {
  return stampReader(configDir, stateDir)()
}

/** The same as a function to call often: joining the paths takes as long as their `stat` calls. */
export function stampReader(configDir: string, stateDir: string): () => string {
  const templates = plainTemplates(configDir)
  const path = configPath(configDir)
  const files = [path, misnamedPath(path), secretsPath(configDir), environmentFile(stateDir)]
  const paths = [configDir, ...files, templates]
  return () => paths.map((path) => stampOfPath(path, path === templates)).join(' ')
}

/** When the configuration last changed, Unix ms. */
export function lastChange(configDir: string): number {
  const files = [configPath(configDir), secretsPath(configDir)]
  return Math.max(...[configDir, ...files, plainTemplates(configDir)].map(changeOf))
}

function stampOfPath(path: string, isTemplates: boolean): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    // For the templates only the list of names counts, because routes use the names.
    if (isTemplates) return stat ? `${stat.ino}-${stat.mtimeMs}` : ''
    // For any other folder its owner and mode count, not its entries.
    if (stat?.isDirectory()) return `${stat.ino}-${stat.mode}-${stat.uid}`
    // With ctime, because chmod changes no other time.
    return stat ? `${stat.ino}-${stat.size}-${stat.mtimeMs}-${stat.ctimeMs}` : ''
  } catch (error) {
    // The folder is not accessible. Reading the configuration reports that in full.
    return errorCode(error) ?? 'unknown'
  }
}

function changeOf(path: string): number {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat ? stat.ctimeMs : changeBehind(path)
  } catch {
    return 0
  }
}

/** For a dangling link, the folder of its target counts: the file may have been moved away from there. */
function changeBehind(path: string): number {
  const folder = realPath(dirname(path))
  const target = resolve(folder, readlinkSync(path))
  return Math.max(changeOf(dirname(target)), changeOf(target))
}
