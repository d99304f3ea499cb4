import { readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describeError, HookbellError } from '../errors.ts'
import { makeFolders, writeDurable } from '../fs/durable.ts'
import { builtInConfig, configStamp, type LoadedConfig, loadConfig, parseConfig } from './load.ts'
import { readSecrets } from './secrets.ts'

/**
 * The configuration in force, re-read when a file changes. A broken file never loses an event:
 * the last good one is used, else the built-in one, and `problem` says why.
 */
export class CurrentConfig {
  #stamp: string | undefined
  #loaded: LoadedConfig = builtInConfig()
  readonly #configDir: string
  readonly #lastGood: string

  constructor(configDir: string, stateDir: string) {
    this.#configDir = configDir
    this.#lastGood = join(stateDir, 'last-good-config.json')
  }

  /** What `get` gave last, without a look at the files. */
  get last(): LoadedConfig {
    return this.#stamp === undefined ? this.get() : this.#loaded
  }

  get(): LoadedConfig {
    const stamp = configStamp(this.#configDir)
    if (stamp !== this.#stamp) {
      this.#stamp = stamp
      this.#loaded = this.#load()
    }
    return this.#loaded
  }

  #load(): LoadedConfig {
    try {
      const loaded = loadConfig(this.#configDir)
      if (loaded.text !== undefined) this.#keep(loaded.text)
      return loaded
    } catch (error) {
      const problem =
        error instanceof HookbellError
          ? error
          : new HookbellError('E_CONFIG', `${this.#configDir}: ${describeError(error)}`)
      return { ...this.#fallBack(), problem }
    }
  }

  #fallBack(): LoadedConfig {
    const path = this.#lastGood
    const text = readQuietly(path)
    if (text === undefined) return builtInConfig()
    try {
      const context = { path, secrets: secretsIfReadable(this.#configDir), env: process.env }
      return { ...parseConfig(text, context), source: 'last good' }
    } catch {
      return builtInConfig()
    }
  }

  /** Best effort: without it a broken file falls back to the built-in settings. */
  #keep(text: string) {
    if (readQuietly(this.#lastGood) === text) return
    try {
      makeFolders(dirname(this.#lastGood), 0o700)
      const waiting = `${this.#lastGood}.${process.pid}`
      rmSync(waiting, { force: true })
      writeDurable(this.#lastGood, [text], waiting)
    } catch {}
  }
}

/** Without them only the channels that need one have to wait. */
function secretsIfReadable(configDir: string): ReadonlyMap<string, string> {
  try {
    return readSecrets(configDir)
  } catch {
    return new Map()
  }
}

function readQuietly(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
