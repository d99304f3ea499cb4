import { join } from 'node:path'
import { quoteWord } from '../../text/shell.ts'

type Env = Readonly<Record<string, string | undefined>>

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
  const file = join(configDir, 'secrets.env')
  const inShell = names.filter((name) => shell[name])
  if (inShell.length === 0 || process.platform === 'win32')
    return `Set it: ${names.map((name) => `hookbell secrets set ${name}`).join(', ')}`
  const lines = inShell.map((name) => `${name}=%s\\n`).join('')
  const values = inShell.map((name) => `"$${name}"`).join(' ')
  return `Set in this shell only. To store it, run: (umask 077; printf '${lines}' ${values} >> ${quoteWord(file)})`
}
