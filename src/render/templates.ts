import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Kind } from '../event/kind.ts'
import { packageRoot } from '../package-root.ts'
import type { Format } from './engine.ts'

/** The texts of templates. A file in the user's own folder wins over ours, file by file. */
export class Templates {
  readonly #ours = join(packageRoot(), 'templates')
  readonly #theirs: string
  readonly #texts = new Map<string, { stamp: number; text: string }>()

  constructor(configDir: string) {
    this.#theirs = join(configDir, 'templates')
  }

  /** The user's file, where there is one. Read again when it changes. */
  own(format: Format, kind: Kind): string | undefined {
    return this.#read(join(this.#theirs, format, `${kind}.liquid`))
  }

  builtIn(format: Format, kind: Kind): string {
    return this.#read(join(this.#ours, format, `${kind}.liquid`)) ?? ''
  }

  #read(path: string): string | undefined {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat?.isFile()) return undefined
    const known = this.#texts.get(path)
    if (known?.stamp === stat.mtimeMs) return known.text
    const text = readFileSync(path, 'utf8')
    this.#texts.set(path, { stamp: stat.mtimeMs, text })
    return text
  }
}
