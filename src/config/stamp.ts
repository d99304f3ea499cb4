import { statSync } from 'node:fs'
import { errorCode } from '../errors.ts'
import { environmentFile } from './environment.ts'
import { configPath, secretsPath } from './paths.ts'
import { plainTemplates } from './template-names.ts'

/** Changes whenever the configuration may have; cheap enough to ask per event. */
export function configStamp(configDir: string, stateDir: string): string {
  return stampReader(configDir, stateDir)()
}

/** The same to be asked often: to put the paths together takes as long as to look at them. */
export function stampReader(configDir: string, stateDir: string): () => string {
  const templates = plainTemplates(configDir)
  const files = [configPath(configDir), secretsPath(configDir), environmentFile(stateDir)]
  const paths = [configDir, ...files, templates]
  return () => paths.map((path) => stampOfPath(path, path === templates)).join(' ')
}

function stampOfPath(path: string, isTemplates: boolean): string {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    // Of the templates which names there are: a route can say them.
    if (isTemplates) return stat ? `${stat.ino}-${stat.mtimeMs}` : ''
    // Of a folder its owner and mode, not what else is put into it.
    if (stat?.isDirectory()) return `${stat.ino}-${stat.mode}-${stat.uid}`
    // The time of the last change of any kind: chmod changes no other.
    return stat ? `${stat.ino}-${stat.size}-${stat.mtimeMs}-${stat.ctimeMs}` : ''
  } catch (error) {
    // A folder that cannot be looked into: to read it says so in full.
    return errorCode(error) ?? 'unknown'
  }
}
