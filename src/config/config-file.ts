import { lstatSync } from 'node:fs'
import { HookbellError } from '../errors.ts'
import { replaceFile } from '../fs/durable.ts'
import { checkOwnership } from '../fs/ownership.ts'
import { readRegular } from '../fs/read.ts'

/** Nobody writes a larger configuration by hand. */
const MAX_BYTES = 1024 * 1024
const MARK = '\uFEFF'

const options = { maxBytes: MAX_BYTES, check: checkOwnership }

/**
 * Reads the text of the configuration; undefined if there is no file.
 * @throws HookbellError E_CONFIG if it belongs to another user, or cannot be read
 */
export function readConfigText(path: string): string | undefined {
  return readRegular(path, options)
}

/**
 * Replaces the text of the configuration. The file keeps its mode and its byte order mark, which is not part of `before`.
 * @param path no symbolic link
 * @throws HookbellError E_FAILED if somebody else has changed it since `before` was read
 */
export function replaceConfigText(path: string, before: string | undefined, after: string): void {
  const now = readRegular(path, { ...options, keepsMark: true })
  const mark = now?.startsWith(MARK) ? MARK : ''
  if (now?.slice(mark.length) !== before) {
    throw new HookbellError('E_FAILED', `${path}: was changed meanwhile, so it is left as it is`, {
      hint: 'Run the command again',
    })
  }
  replaceFile(path, mark + after, before === undefined ? 0o600 : lstatSync(path).mode & 0o777)
}
