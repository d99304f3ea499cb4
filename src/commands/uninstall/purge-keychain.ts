import { CurrentConfig } from '../../config/current.ts'
import { removeKeychain } from '../../config/secrets/keychain.ts'
import { KEYCHAIN } from '../../config/secrets/source.ts'

/** Removes the secrets that the configuration takes from the keychain. @returns what could not be removed */
export async function purgeKeychain(configDir: string, stateDir: string): Promise<string[]> {
  const left: string[] = []
  for (const name of keychainNames(configDir, stateDir)) {
    try {
      await removeKeychain(name, stateDir)
    } catch {
      left.push(`Not removed from the keychain, if it is there: ${name}`)
    }
  }
  return left
}

/** The secrets that the configuration takes from the keychain. */
export function keychainNames(configDir: string, stateDir: string): string[] {
  const { secrets = {} } = new CurrentConfig(configDir, stateDir).get().config
  return Object.keys(secrets).filter((name) => secrets[name] === KEYCHAIN)
}
