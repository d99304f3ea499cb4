import { type LoadedConfig, parseConfig } from '../config/load/load.ts'
import type { Channel } from '../config/schema/channel.ts'
import type { Config } from '../config/schema/schema.ts'

/**
 * Parses the content of `config.json` into a configuration for decisions. It is not used to send, so the variables that
 * its channels refer to, such as `${SLACK_WEBHOOK_URL}`, need not be set.
 * @throws HookbellError E_CONFIG which says what is wrong, and where
 */
export function policyConfig(settings: object): Config {
  const text = JSON.stringify(settings, null, 2)
  return withAllChannels(
    parseConfig(text, { path: 'config', secrets: { file: new Map(), env: {} } }),
  )
}

/** Adds channels that cannot be used now, with what decisions depend on: their type, and whether noise rules apply. */
export function withAllChannels({ config }: Pick<LoadedConfig, 'config'>): Config {
  const { channels, waiting } = config
  return { ...config, channels: { ...channels, ...(waiting as Record<string, Channel>) } }
}
