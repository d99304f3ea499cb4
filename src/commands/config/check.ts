import { resolve } from 'node:path'
import { asTyped } from '../../cli/how-to-call.ts'
import { paint, printJson, say } from '../../cli/output.ts'
import { shellEnvironment } from '../../clients/shell-environment.ts'
import { channelBodyProblems } from '../../config/body-problems.ts'
import { caFileProblems } from '../../config/ca-file.ts'
import { brokenChannels, readyChannels } from '../../config/channels.ts'
import { readStoredEnvironment } from '../../config/environment.ts'
import { type LoadedConfig, loadConfig, parseConfig } from '../../config/load/load.ts'
import { loadModules } from '../../config/module-faults.ts'
import { configDir, configPath, stateDir } from '../../config/paths.ts'
import { howToSetIn } from '../../config/secrets/how-to-set.ts'
import { readSecrets } from '../../config/secrets/secrets.ts'
import { templateNames } from '../../config/template-names.ts'
import { unreachableChannels } from '../../config/unreachable-channels.ts'
import { errorCode, HookbellError } from '../../errors.ts'
import { readRegular } from '../../fs/read.ts'
import { whyUnsafe } from '../../hub/settings.ts'
import { cleanText, showPath } from '../../text/clean.ts'
import { counted } from '../../text/counted.ts'

const MAX_BYTES = 1024 * 1024

/**
 * Checks whether a configuration can be used, and prints the result. Of its programs, only notifiers of the user's own are
 * run, and these send nothing.
 * @returns 0, or 1 if there are warnings or unusable channels
 * @throws HookbellError E_CONFIG with the place of each fault
 */
export async function checkConfigFile(file: string | undefined, json: boolean): Promise<number> {
  const path = file === undefined ? configPath(configDir()) : resolve(file)
  const loaded = file === undefined ? loadOwn() : checkText(readAny(path), path)
  const problems = await problemsOf(loaded)
  if (json) printJson({ path, problems, channels: readyChannels(loaded.config) })
  else say([heading(path, loaded), ...problems.map((one) => asLine(one, loaded))].join('\n'))
  return problems.length > 0 ? 1 : 0
}

/** Parses a text as the configuration of this user. @throws HookbellError E_CONFIG */
export function checkText(text: string, path: string): LoadedConfig {
  const file = readSecrets(configDir()).values
  const secrets = { file, env: readStoredEnvironment(stateDir()) }
  return parseConfig(text, { path, secrets, templates: templateNames(configDir()) })
}

export async function problemsOf(loaded: LoadedConfig): Promise<string[]> {
  const { config, warnings } = loaded
  const modules = await loadModules(config)
  const unsafe = config.hub && whyUnsafe(config.hub)
  // A channel whose secret is not known yet counts as reached.
  const isSilent = unreachableChannels(config).length === Object.keys(config.channels).length
  return [
    ...warnings,
    ...caFileProblems(config),
    ...(await channelBodyProblems(config)),
    ...modules.flatMap(({ channel, fault }) =>
      fault ? [`channel ${channel}: ${fault.message}`] : [],
    ),
    ...(unsafe === undefined ? [] : [`hub: url ${unsafe}`]),
    ...brokenChannels(config).map(({ name, why }) => `channel ${name}: ${why}`),
    ...(isSilent ? ['no route leads to a channel: nobody is notified'] : []),
  ]
}

/** A problem for a person, with how to set the secrets that it names. */
export function asLine(problem: string, { unset }: LoadedConfig): string {
  const how = howToSetIn(problem, unset, configDir(), shellEnvironment(process.env))
  const line = how === undefined ? problem : `${problem}. ${asTyped(how)}`
  return `${paint('yellow', '!')} ${cleanText(line)}`
}

function loadOwn(): LoadedConfig {
  return loadConfig(configDir(), { env: readStoredEnvironment(stateDir()) })
}

function readAny(path: string): string {
  const text = readIfAllowed(path)
  if (text === undefined) throw new HookbellError('E_CONFIG', `${path}: there is no such file`)
  return text
}

/** The user may name any file, so the usual advice (`chown -R` on its folder) could do harm. */
function readIfAllowed(path: string): string | undefined {
  try {
    return readRegular(path, { maxBytes: MAX_BYTES })
  } catch (error) {
    const { message, cause } = error as HookbellError
    if (errorCode(cause) !== 'EACCES') throw error
    const hint = 'Check its owner and mode, and those of its folder'
    throw new HookbellError('E_CONFIG', message, { hint, cause })
  }
}

function heading(file: string, { source, config }: LoadedConfig): string {
  const path = showPath(file)
  if (source === 'built-in') return `no file ${path}; the built-in settings are used`
  const channels = Object.keys(config.channels)
  const counts = [counted(channels.length, 'channel'), counted(config.routes.length, 'route')]
  return `${paint('green', 'ok')} ${path}: ${counts.join(', ')}`
}
