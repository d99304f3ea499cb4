import { readKeychain } from './keychain.ts'
import { runPrivately } from './run-private.ts'
import { KEYCHAIN, type SecretSource } from './source.ts'

/** A password manager may ask a person to unlock it. */
const TIMEOUT_MS = 30_000
const TRY_AGAIN_MS = 60_000

interface Fetched {
  source: string
  value?: string
  failure?: string
  at: number
}

interface FetcherOptions {
  stateDir: string
  timeoutMs?: number
  now?: () => number
}

/**
 * Secrets from commands and from the keychain, kept only in the memory of this process and never written.
 * A fetch that failed, or whose value is in doubt, may be repeated after a minute.
 */
export class SecretFetcher {
  readonly #known = new Map<string, Fetched>()
  readonly #options: Required<FetcherOptions>
  #running: Promise<boolean> | undefined
  #version = 0

  constructor({ stateDir, timeoutMs = TIMEOUT_MS, now = Date.now }: FetcherOptions) {
    this.#options = { stateDir, timeoutMs, now }
  }

  /** Changes whenever a value or a failure does. */
  get version(): number {
    return this.#version
  }

  valueOf(name: string, source: SecretSource): string | undefined {
    return this.#of(name, source)?.value
  }

  /** Why there is no value; undefined before it was fetched. Never what the command printed. */
  failureOf(name: string, source: SecretSource): string | undefined {
    return this.#of(name, source)?.failure
  }

  /**
   * Fetches what is not known.
   * @param inDoubt whether a known value may be wrong
   * @returns whether anything changed
   */
  async fetch(
    needed: Readonly<Record<string, SecretSource>>,
    { inDoubt = false } = {},
  ): Promise<boolean> {
    while (this.#running) await this.#running
    const open = Object.entries(needed).filter(([name, source]) =>
      this.#isOpen(name, source, inDoubt),
    )
    if (open.length === 0) return false
    const before = this.#version
    this.#running = Promise.all(open.map(([name, source]) => this.#fetchOne(name, source)))
      .then(() => this.#version !== before)
      .finally(() => {
        this.#running = undefined
      })
    return await this.#running
  }

  #of(name: string, source: SecretSource): Fetched | undefined {
    const known = this.#known.get(name)
    return known?.source === JSON.stringify(source) ? known : undefined
  }

  #isOpen(name: string, source: SecretSource, inDoubt: boolean): boolean {
    const known = this.#of(name, source)
    if (!known) return true
    const age = this.#options.now() - known.at
    return (known.value === undefined || inDoubt) && (age >= TRY_AGAIN_MS || age < 0)
  }

  async #fetchOne(name: string, source: SecretSource) {
    const before = this.#of(name, source)
    const { stateDir, timeoutMs, now } = this.#options
    const printed = await (source === KEYCHAIN
      ? readKeychain(name, stateDir)
      : runPrivately(source, { stateDir, timeoutMs }))
    const value = 'text' in printed ? printed.text.replace(/\r?\n$/, '') : ''
    const failure = 'failure' in printed ? printed.failure : 'printed nothing'
    const after: Pick<Fetched, 'value' | 'failure'> = value
      ? { value }
      : { failure: `${programOf(source)} ${failure}` }
    this.#known.set(name, { source: JSON.stringify(source), at: now(), ...after })
    if ((value && before?.value !== value) || before?.failure !== after.failure) this.#version += 1
  }
}

function programOf(source: SecretSource): string {
  return source === KEYCHAIN ? 'the keychain' : `${source[0]}`
}
