import { findNodeAtLocation, parseTree } from 'jsonc-parser'
import { readConfigText, replaceConfigText } from '../config/config-file.ts'
import { type LoadedConfig, parseConfig } from '../config/load/load.ts'
import { configPath } from '../config/paths.ts'
import { defaultChannels, defaultKinds } from '../config/schema/schema.ts'
import { stepsOf } from '../config/schema/steps.ts'
import { readSecrets } from '../config/secrets/secrets.ts'
import { templateNames } from '../config/template-names.ts'
import { HookbellError } from '../errors.ts'
import { makeFolders } from '../fs/durable.ts'
import { targetOf } from '../fs/links.ts'
import { checkFolder } from '../fs/ownership.ts'
import { detectStyle, insertInto } from './edit/insert.ts'
import { splice } from './edit/splice.ts'

/** The options of new channels by name, with secrets as references such as `${SLACK_WEBHOOK_URL}`. */
export type NewChannels = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/**
 * Adds channels to the user's configuration and, if it has routes, a route to them, since no event would reach them
 * otherwise. Existing bytes are not changed.
 * @returns the path of the file
 * @throws HookbellError E_CONFIG if the file belongs to another user, or would be invalid afterwards, E_FAILED if others
 * change it meanwhile
 */
export function addChannels(configDir: string, channels: NewChannels): string {
  const path = configPath(configDir)
  checkFolder(configDir)
  makeFolders(configDir, 0o700)
  const target = targetOf(path)
  const before = readConfigText(target)
  const secrets = { file: readSecrets(configDir).values, env: {} }
  const parse = (text: string) =>
    parseConfig(text, { path, secrets, templates: templateNames(configDir) })
  const after =
    before === undefined
      ? textOf(channels)
      : withAddition(before, additionTo(parse(before), channels))
  parse(after)
  if (after !== before) replaceConfigText(target, before, after)
  return path
}

export interface Addition {
  channels: NewChannels
  routes?: readonly object[]
}

/** What is added to a configuration. If its routes name the built-in channel, that is added too: it would be replaced. */
export function additionTo(
  { raw = {}, config }: Pick<LoadedConfig, 'raw' | 'config'>,
  channels: NewChannels,
): Addition {
  const routes = raw.routes === undefined ? [] : config.routes
  const named = [...routes.flatMap(stepsOf), config.digest].flatMap((one) => one?.to ?? [])
  const isKept = raw.channels === undefined && named.length > 0
  return {
    channels: isKept ? { ...defaultChannels, ...channels } : channels,
    ...(raw.routes !== undefined && { routes: [routeTo(channels)] }),
  }
}

function textOf(channels: NewChannels): string {
  return `${JSON.stringify({ channels }, null, 2)}\n`
}

function withAddition(text: string, { channels, routes = [] }: Addition): string {
  const withNames = insert(text, ['channels'], (isThere) =>
    isThere
      ? Object.entries(channels).map(([key, value]) => ({ key, value }))
      : [{ key: 'channels', value: channels }],
  )
  if (routes.length === 0) return withNames
  return insert(withNames, ['routes'], () => routes.map((value) => ({ value })))
}

function routeTo(channels: NewChannels) {
  return { on: defaultKinds, to: Object.keys(channels) }
}

/** Inserts items into the object or array at `place`, or into the root object if there is none. */
function insert(
  text: string,
  place: string[],
  itemsFor: (isThere: boolean) => { key?: string; value: unknown }[],
): string {
  const root = parseTree(text)
  if (root?.type !== 'object')
    throw new HookbellError('E_CONFIG', 'the configuration is not an object')
  const node = findNodeAtLocation(root, place)
  const edits = insertInto(text, node ?? root, itemsFor(Boolean(node)), detectStyle(text, root))
  return splice(text, edits).text
}
