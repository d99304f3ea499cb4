import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { HookbellError } from '../errors.ts'
import { writeDurable } from '../spool/durable.ts'
import {
  builtInConfig,
  configPath,
  configStamp,
  type LoadedConfig,
  loadConfig,
  parseConfig,
} from './load.ts'
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
      if (loaded.source === 'file') this.#keep()
      return loaded
    } catch (error) {
      if (!(error instanceof HookbellError)) throw error
      return { ...this.#fallBack(), problem: error }
    }
  }

  #fallBack(): LoadedConfig {
    try {
      const text = readFileSync(this.#lastGood, 'utf8')
      const context = {
        path: this.#lastGood,
        secrets: readSecrets(this.#configDir),
        env: process.env,
      }
      return { ...parseConfig(text, context), source: 'last good file' }
    } catch {
      return builtInConfig()
    }
  }

  /** Best effort: without it a broken file falls back to the built-in settings. */
  #keep() {
    try {
      const text = readFileSync(configPath(this.#configDir))
      mkdirSync(join(this.#lastGood, '..'), { recursive: true, mode: 0o700 })
      const waiting = `${this.#lastGood}.${process.pid}`
      rmSync(waiting, { force: true })
      writeDurable(this.#lastGood, [text], waiting)
    } catch {}
  }
}
