import { rmSync } from 'node:fs'
import { describeError, HookbellError } from '../errors.ts'
import { makeFolders, replaceFile } from '../fs/durable.ts'
import { Fresh } from '../fs/fresh.ts'
import type { Env } from '../fs/home.ts'
import { checkFolder, strangerOf } from '../fs/ownership.ts'
import { isMissing, readQuietly } from '../fs/read.ts'
import type { GivenNotifiers } from '../notifiers/index.ts'
import { type Checked, cacheStamp, mayBeCached, readCached, writeCached } from './config-cache.ts'
import { readStoredEnvironment, storeEnvironment } from './environment.ts'
import { lastGoodFile, withoutSecrets } from './last-good.ts'
import type { SecretValues } from './load/expand.ts'
import { builtInConfig, type LoadedConfig, loadConfig, parseConfig } from './load/load.ts'
import { SecretFetcher } from './secrets/fetcher.ts'
import { readSecrets, referencesIn, valuesToRedact } from './secrets/secrets.ts'
import { lastChange, SAVING_MS, stampReader } from './stamp.ts'

const CHECKED = 'checked-config'

/**
 * The configuration in force, re-read when a file changes. A broken file never loses an event:
 * the last good one is used, else the built-in one, and `problem` says why.
 */
export class CurrentConfig {
  #stamp: string | undefined
  #loaded: LoadedConfig | undefined
  #good: LoadedConfig | undefined
  readonly #configDir: string
  readonly #stateDir: string
  readonly #now: () => number
  readonly #given: GivenNotifiers | undefined
  readonly #readStamp: () => string
  readonly #fetcher: SecretFetcher
  readonly #recent = new Fresh(() => this.get())

  /** @param given notifiers that only this program has: nothing of such a configuration is kept for other programs */
  constructor(
    configDir: string,
    stateDir: string,
    now: () => number = Date.now,
    given?: GivenNotifiers,
  ) {
    this.#configDir = configDir
    this.#stateDir = stateDir
    this.#now = now
    this.#given = given
    this.#readStamp = stampReader(configDir, stateDir)
    this.#fetcher = new SecretFetcher({ stateDir })
  }

  /** The result of the last `get`, without checking whether files have changed. */
  get last(): LoadedConfig {
    return this.#loaded ?? this.get()
  }

  /** Like `get`, but cheap enough for each of many events: a change is noticed within 20 ms, or with the next `get`. */
  recent(): LoadedConfig {
    return this.#recent.get()
  }

  get(): LoadedConfig {
    const files = this.#readStamp()
    const stamp = `${files} ${this.#fetcher.version}`
    if (this.#loaded && stamp === this.#stamp) return this.#loaded
    const loaded = this.#load(cacheStamp(this.#configDir, files))
    const before = isWithoutFile(loaded) ? this.#beforeSaving() : undefined
    if (before) {
      this.#loaded = before
      return before
    }
    if (isWithoutFile(loaded)) this.#forgetGood()
    this.#stamp = stamp
    this.#loaded = loaded
    // A review of held messages after a change must not use the previous configuration.
    this.#recent.forget()
    return loaded
  }

  /** The state folder for which it was read. It is in force for the fallback folders that are served with it too. */
  get stateDir(): string {
    return this.#stateDir
  }

  /** When its files last changed, Unix ms. */
  changedAt(): number {
    return lastChange(this.#configDir)
  }

  /** Whether it is broken, but changed so lately that it may be half of what an editor saves. */
  isBeingSaved(): boolean {
    return this.get().problem !== undefined && this.#hasJustChanged()
  }

  #hasJustChanged(): boolean {
    return Math.abs(this.#now() - this.changedAt()) < SAVING_MS
  }

  /** Some editors move the file away before they write the new one. @returns the settings before, if it was there lately */
  #beforeSaving(): LoadedConfig | undefined {
    if (!this.#hasJustChanged()) return undefined
    const before = this.#loaded ?? this.#fallBack()
    return before.source === 'built-in' ? undefined : before
  }

  /**
   * Stores the variables that the configuration names, with their values in `shell`, for all later workers.
   * Best effort: if it fails, the channels that need one wait, and are reported.
   */
  storeVariables(shell: Env) {
    try {
      storeEnvironment(this.#stateDir, this.get().config.env, shell)
    } catch {}
  }

  /**
   * Fetches secrets that channels need from commands and the keychain and that are not known yet. Until then those
   * channels wait. @returns whether `get` and `recent` now return something new
   */
  async fetchSecrets({ sources } = this.get()): Promise<boolean> {
    // A value that does not fit may have changed by now, for example because a person has logged in.
    const inDoubt = this.#loaded?.problem !== undefined
    const isNew = await this.#fetcher.fetch(sources, { inDoubt })
    if (isNew) this.#recent.forget()
    return isNew
  }

  #load(stamp: string): LoadedConfig {
    try {
      const env = readStoredEnvironment(this.#stateDir)
      const given = this.#given
      const kept = given ? undefined : readCached(this.#stateDir, CHECKED, stamp)
      const checked = kept as Checked | undefined
      const loaded = loadConfig(this.#configDir, { env, fetched: this.#fetcher, checked, given })
      if (loaded.source === 'file') this.#good = loaded
      if (!given && (!checked || isMissing(lastGoodFile(this.#stateDir)))) this.#keep(loaded, stamp)
      return loaded
    } catch (error) {
      const problem =
        error instanceof HookbellError
          ? error
          : new HookbellError('E_CONFIG', `${this.#configDir}: ${describeError(error)}`)
      return { ...this.#fallBack(), problem }
    }
  }

  /** With all secrets that are known, whatever the settings name: they are kept out of texts also while a file is broken. */
  #fallBack(): LoadedConfig {
    const env = readStoredEnvironment(this.#stateDir)
    const settings = this.#settingsBefore(env) ?? builtInConfig()
    const known = [...valuesToRedact(this.#configDir), ...Object.values(env)]
    return { ...settings, secrets: [...new Set([...settings.secrets, ...known])] }
  }

  /** The last valid settings. Without warnings, because these name places in a text that the user does not see. */
  #settingsBefore(env: Record<string, string>): LoadedConfig | undefined {
    // It still has the secrets that are written in the file itself; the copy on the disk does not.
    if (this.#good) return { ...this.#good, warnings: [], source: 'last good' }
    const path = lastGoodFile(this.#stateDir)
    const text = readQuietly(path)
    if (text === undefined) return undefined
    const file = secretsIfReadable(this.#configDir)
    const loaded = parseLastGood(text, path, {
      file: file ?? new Map(),
      env,
      fetched: this.#fetcher,
    })
    if (!loaded) return undefined
    const known = { ...loaded, warnings: [], source: 'last good' } as const
    return file ? known : waitingForSecrets(known)
  }

  /** A file that was removed on purpose must not come back. Best effort. */
  #forgetGood() {
    this.#good = undefined
    const path = lastGoodFile(this.#stateDir)
    try {
      if (strangerOf(this.#stateDir) === undefined && !isMissing(path)) rmSync(path)
    } catch {}
  }

  /** Best effort: if it fails, a broken file falls back to the built-in settings, and each worker validates again. */
  #keep({ source, raw = {}, checked }: LoadedConfig, stamp: string) {
    const path = lastGoodFile(this.#stateDir)
    try {
      // Root may run a command on the state of another user, who could not read root's file or has another configuration.
      if (strangerOf(this.#stateDir) !== undefined) return
      const text = withoutSecrets(raw, this.#configDir)
      if (source === 'file' && readQuietly(path) !== text) {
        makeFolders(this.#stateDir, 0o700)
        replaceFile(path, text)
      }
      if (!checked || !mayBeCached(this.#configDir, this.#now())) return
      writeCached(this.#stateDir, CHECKED, { stamp, value: checked })
    } catch {}
  }
}

function isWithoutFile({ source, problem }: LoadedConfig): boolean {
  return source === 'built-in' && !problem
}

/** Why a channel cannot be used whose secrets are in a file that cannot be read. */
export const WAITS_FOR_SECRETS = 'waits for secrets.env'

/** The fault may be the values of secrets: then only the channels that need these have to wait. */
function parseLastGood(
  text: string,
  path: string,
  values: Required<SecretValues>,
): LoadedConfig | undefined {
  const parse = (names: readonly string[]) => {
    try {
      return parseConfig(text, { path, secrets: onlySome(names, values), isLastGood: true })
    } catch {
      return undefined
    }
  }
  const names = [...new Set(referencesIn(text))]
  return parse(names) ?? parse(names.filter((name) => parse([name]))) ?? parse([])
}

function onlySome(
  names: readonly string[],
  { file, env, fetched }: Required<SecretValues>,
): SecretValues {
  const isOne = (name: string) => names.includes(name)
  return {
    file: new Map([...file].filter(([name]) => isOne(name))),
    env: Object.fromEntries(Object.entries(env).filter(([name]) => isOne(name))),
    fetched: {
      valueOf: (name, source) => (isOne(name) ? fetched.valueOf(name, source) : undefined),
      failureOf: (name, source) => fetched.failureOf(name, source),
    },
  }
}

/** If they cannot be read, only the channels that need one have to wait. */
function secretsIfReadable(configDir: string): ReadonlyMap<string, string> | undefined {
  try {
    checkFolder(configDir)
    return readSecrets(configDir).values
  } catch {
    return undefined
  }
}

/** What is set nowhere else is probably in that file: to set it again would be wrong advice. */
function waitingForSecrets(loaded: LoadedConfig): LoadedConfig {
  const needs = (why: string) => loaded.unset.some((name) => why.includes(`\${${name}}`))
  const channels = Object.entries(loaded.config.channels).map(([name, channel]) => {
    const why = channel.why && needs(channel.why) ? { why: WAITS_FOR_SECRETS } : {}
    return [name, { ...channel, ...why }]
  })
  const config = { ...loaded.config, channels: Object.fromEntries(channels) }
  return { ...loaded, config, unset: [] }
}
