import * as z from 'zod'
import { argv } from '../../text/program.ts'

/** The store of the desktop: macOS keychain, libsecret, or the credential locker of Windows. */
export const KEYCHAIN = 'keychain'

/** Where a secret comes from that is not in a file. */
const secretSource = z.union(
  [
    z.literal(KEYCHAIN).describe('The keychain of this desktop; see hookbell secrets'),
    argv.describe(
      'A command that prints the secret, such as ["op", "read", "op://private/slack/url"]',
    ),
  ],
  { error: 'must be "keychain", or a command as a list of words: ["op", "read", "..."]' },
)

export const secretSources = z.record(
  z.string().regex(/^[A-Za-z_]\w*$/, 'the name of a secret: letters, digits, "_"'),
  secretSource,
)

export type SecretSource = z.output<typeof secretSource>

/** The valid sources of a configuration that is not validated yet. */
export function sourcesIn(raw: unknown): Record<string, SecretSource> {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return {}
  const valid = Object.entries(raw).flatMap(([name, value]) => {
    const source = secretSource.safeParse(value)
    return source.success ? [[name, source.data] as const] : []
  })
  return Object.fromEntries(valid)
}

/** For a person; arguments can be long, so only the program is named. */
export function describeSource(source: SecretSource): string {
  return source === KEYCHAIN ? 'the keychain' : `the command ${source[0]}`
}
