import { type LoadedConfig, parseConfig } from '../config/load.ts'
import type { Channel, Config } from '../config/schema.ts'

/**
 * A configuration that decisions can be made by, from what stands in `config.json`. Nothing is sent by it: what its
 * channels refer to, such as `${SLACK_WEBHOOK_URL}`, need not be set.
 * @throws HookbellError E_CONFIG which says what is wrong, and where
 */
export function policyConfig(settings: object): Config {
  const text = JSON.stringify(settings, null, 2)
  return withAllChannels(
    parseConfig(text, { path: 'config', secrets: { file: new Map(), env: {} } }),
  )
}

/** Channels that cannot be used now count with what decisions depend on: their type, and whether rules count for them. */
export function withAllChannels({ config, unusable, raw }: LoadedConfig): Config {
  const written = Object(raw?.channels) as { [name: string]: { type?: string; noise?: boolean } }
  const stubs = Object.keys(unusable).map((name) => {
    const { type, noise } = Object(written[name]) as { type?: string; noise?: boolean }
    return [name, { type, ...(noise !== undefined && { noise }) } as unknown as Channel]
  })
  return { ...config, channels: { ...config.channels, ...Object.fromEntries(stubs) } }
}
