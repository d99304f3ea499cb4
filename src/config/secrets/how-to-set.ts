import type { Env } from '../../fs/home.ts'
import { readQuietly } from '../../fs/read.ts'
import { closest } from '../../text/suggest.ts'
import { configPath, secretsPath } from '../paths.ts'
import { parseSecrets } from './secrets.ts'

/** Explains how to set the names that the reason contains, of those that are set nowhere; undefined if it has none. */
export function howToSetIn(
  reason: string,
  unset: readonly string[],
  configDir: string,
  shell: Env,
): string | undefined {
  const names = unset.filter((name) => reason.includes(`\${${name}}`))
  return names.length > 0 ? howToSet(names, configDir, shell) : undefined
}

/**
 * Explains how to set the names that channels refer to. If the shell has the values, with a command that stores them
 * without showing them in the command line or the history.
 */
export function howToSet(names: readonly string[], configDir: string, shell: Env): string {
  const inShell = process.platform === 'win32' ? [] : names.filter((name) => shell[name])
  if (inShell.length > 0)
    return `Set in this shell only. To store it, run: ${commandsToSet(inShell, shell).join('; ')}`
  return [
    `Set it: ${commandsToSet(names).join('; ')}`,
    ...names.flatMap((name) => whatIsMeant(name, configDir)),
  ].join('. ')
}

/** A command for each name. It stores the value of the shell, if that has one, and otherwise asks for it. */
export function commandsToSet(names: readonly string[], shell: Env = {}): string[] {
  return names.map((name) => {
    const command = `hookbell secrets set ${name}`
    // Not appended to the file by the shell: its last line may lack an end, and some values need quotes there.
    return shell[name] && process.platform !== 'win32'
      ? `printf %s "$${name}" | ${command}`
      : command
  })
}

/** A secret that is set and that nothing refers to may be the one that was meant. */
function whatIsMeant(name: string, configDir: string): string[] {
  const config = readQuietly(configPath(configDir)) ?? ''
  const set = [...parseSecrets(readQuietly(secretsPath(configDir)) ?? '').values.keys()]
  const meant = closest(
    name,
    set.filter((one) => !config.includes(`\${${one}}`)),
  )
  return meant === undefined ? [] : [`Or did you mean \${${meant}}, which is set?`]
}
