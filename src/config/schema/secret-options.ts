import type * as z from 'zod'
import { notifierOfType } from '../../notifiers/index.ts'
import type { SecretOptions } from '../config-cache.ts'
import type { Config, Parsed } from './schema.ts'

/** The notifier's own options. */
function optionsOf(type: string): Record<string, z.ZodType> {
  return notifierOfType(type)?.options.shape ?? {}
}

/** The values of secret options, which must not appear anywhere. */
export function secretsOf(
  { channels, hub }: Pick<Parsed, 'channels' | 'hub'>,
  secretOptions: SecretOptions,
): string[] {
  const all = [...Object.values(channels), ...(hub ? [{ type: 'hub', ...hub }] : [])]
  return all.flatMap((channel) =>
    (secretOptions[channel.type] ?? [])
      .flatMap((name) => textsIn((channel as Record<string, unknown>)[name]))
      .flatMap(partsOf),
  )
}

/** The options that are declared as secrets, of the types that a configuration uses. */
export function secretOptionsOf({
  channels,
  hub,
  given = {},
}: Pick<Parsed, 'channels' | 'hub'> & { given?: Config['given'] }): SecretOptions {
  const types = new Set<string>(Object.values(channels).map(({ type }) => type))
  if (hub) types.add('hub')
  const names = (type: string) => {
    const shape: Record<string, z.ZodType> = Object.hasOwn(given, type)
      ? (given[type]?.options.shape ?? {})
      : optionsOf(type)
    return Object.keys(shape).filter((name) => isSecret(shape[name]))
  }
  return Object.fromEntries([...types].map((type) => [type, names(type)]))
}

/** `./ring.mjs`, `../ring.mjs`, `~/ring.mjs`, `/srv/ring.mjs`, and the same on Windows: the file of a notifier. */
export function isFileType(type: unknown): type is string {
  return typeof type === 'string' && /^(?:~|\.{1,2}|[a-z]:)?[/\\]/i.test(type)
}

export function isSecretOption(type: string, name: string): boolean {
  // What its options mean is known only to the notifier.
  if (isFileType(type)) return !['type', 'noise', 'clearance'].includes(name)
  const shape = optionsOf(type)
  return Object.hasOwn(shape, name) && isSecret(shape[name])
}

function isSecret(option: z.ZodType | undefined): boolean {
  return option?.meta()?.secret === true
}

/**
 * In a list or a record only values with a digit count as secrets: headers and variables also hold
 * ordinary words, such as `application/json`, and redacting those everywhere would only garble texts.
 */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value)
    .flatMap(textsIn)
    .filter((text) => /\d/.test(text))
}

/** For a URL also its secret parts, the password and the path, which errors repeat without the rest. */
function partsOf(value: string): string[] {
  if (!URL.canParse(value)) return [value]
  const { password, pathname } = new URL(value)
  const decoded = password.includes('%') ? safelyDecoded(password) : password
  return [value, password, decoded, pathname.length > 8 ? pathname : ''].filter(Boolean)
}

function safelyDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
