import { statSync } from 'node:fs'
import { errorCode } from '../errors.ts'
import { environmentFile } from './environment.ts'
import { configPath, secretsPath } from './paths.ts'

/** Changes whenever the configuration may have; cheap enough to ask per event. */
export function configStamp(configDir: string, stateDir: string): string {
  return [configDir, configPath(configDir), secretsPath(configDir), environmentFile(stateDir)]
    .map((path) => {
      try {
        const stat = statSync(path, { throwIfNoEntry: false })
        // Of a folder its owner and mode, not what else is put into it.
        if (stat?.isDirectory()) return `${stat.ino}-${stat.mode}-${stat.uid}`
        // The time of the last change of any kind: chmod changes no other.
        return stat ? `${stat.ino}-${stat.size}-${stat.mtimeMs}-${stat.ctimeMs}` : ''
      } catch (error) {
        // A folder that cannot be looked into: to read it says so in full.
        return errorCode(error) ?? 'unknown'
      }
    })
    .join(' ')
}
