import { join } from 'node:path'
import { asText } from '../text/zod-issue.ts'
import { withFullPaths } from './load/modules.ts'
import { isSecretOption } from './schema/secret-options.ts'

/** Replaces a secret that was written out in `config.json`. Nothing sets this name, so that its channel waits. */
export const INLINE_SECRET = 'hookbell_inline_secret'

export function lastGoodFile(stateDir: string): string {
  return join(stateDir, 'last-good-config.json')
}

/**
 * A configuration as it may be stored in the state folder: with references to secrets, without the secrets.
 * @param folder the one of the configuration
 */
export function withoutSecrets(written: Readonly<Record<string, unknown>>, folder: string): string {
  const raw = withFullPaths(written, folder)
  return `${JSON.stringify({ ...raw, ...channelsOf(raw), ...hubOf(raw) }, null, 2)}\n`
}

function channelsOf({ channels }: Readonly<Record<string, unknown>>) {
  if (typeof channels !== 'object' || channels === null) return {}
  const kept = Object.entries(channels).map(([name, channel]) => [name, withoutInline(channel)])
  return { channels: Object.fromEntries(kept) }
}

function hubOf({ hub }: Readonly<Record<string, unknown>>) {
  if (typeof hub !== 'object' || hub === null) return {}
  const { type: _, ...kept } = withoutInline({ ...hub, type: 'hub' }) as { type?: unknown }
  return { hub: kept }
}

function withoutInline(channel: object): object {
  const { type } = channel as { type?: unknown }
  return Object.fromEntries(
    Object.entries(channel).map(([name, value]) => [
      name,
      isSecretOption(asText(type), name) && !isReference(value) ? `\${${INLINE_SECRET}}` : value,
    ]),
  )
}

/** Either a lone reference, or a URL without a path whose password, if it has one, is a reference. */
function isReference(value: unknown): boolean {
  const reference = String.raw`\$\{[A-Za-z_]\w*\}`
  const whole = new RegExp(
    `^(?:${reference}|[a-z]+://(?:[^\\s:@/]*:${reference}@)?[^\\s:@/?#]+(?::\\d+)?/?)$`,
    'i',
  )
  return typeof value === 'string' && whole.test(value)
}
