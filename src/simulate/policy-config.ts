import { parseConfig } from '../config/load/load.ts'
import type { Config } from '../config/schema/schema.ts'

/**
 * Parses the content of `config.json` into a configuration for decisions. It is not used to send, so the variables that
 * its channels refer to, such as `${SLACK_WEBHOOK_URL}`, need not be set.
 * @throws HookbellError E_CONFIG which says what is wrong, and where
 */
export function policyConfig(settings: object): Config {
  const text = JSON.stringify(settings, null, 2)
  return parseConfig(text, { path: 'config', secrets: { file: new Map(), env: {} } }).config
}
