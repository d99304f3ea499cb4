import type { CallOptions } from './core/options.ts'
import { ConfigError, DecodeError, hasErrorMarker, invalid } from './errors.ts'
import { withoutUndefined } from './record.ts'
import type { ApiKey, RotateKeyInput, RotateKeyResponse, ServiceAccountsKeysApi } from './types.ts'

/** The result of a rotation. The key itself is only in the file. */
export interface RotatedKey {
  file: string
  /** ID of the new key. */
  id: string
  /** End of the new key, for display. */
  fingerprint: string
  name: string
  /** When the new key expires, in Unix milliseconds. */
  expiresAt?: number
}

/** The method `serviceAccounts.keys.rotateTo`, described in `KeysClient`. */
export type RotateTo = (
  file: string,
  input: RotateKeyInput,
  options?: CallOptions,
) => Promise<RotatedKey>

/** A call that needs a key and changes nothing. */
type TryKey = (apiKey: string, options: CallOptions) => Promise<unknown>

/** Makes `serviceAccounts.keys.rotateTo` of a client. */
export function makeRotateTo(keys: ServiceAccountsKeysApi, tryKey: TryKey): RotateTo {
  return async function rotateTo(file, input, options) {
    const secretFile = await openFile(file)
    const { value, id, fingerprint, name, expiresAt } = await keys
      .rotate(input, options)
      .then(requireKey)
      .catch((error: unknown) => giveUp(error, secretFile, file))
    await secretFile.save(`${value}\n`).catch((cause: unknown) => {
      const hint = `the new key is in ${file}.new`
      throw new ConfigError(`rotateTo: "${file}" cannot be replaced`, { attempts: 1, hint, cause })
    })
    const { extraBody: _, extraQuery: __, ...rest } = options ?? {}
    await verify(tryKey(value, rest), file)
    return { file, id, fingerprint, name, ...withoutUndefined({ expiresAt }) }
  }
}

/** Needed because a response of another shape is an error only if `strict` is set. */
function requireKey(rotated: RotateKeyResponse): ApiKey {
  if (rotated?.apiKey?.value?.trim?.()) return rotated.apiKey
  throw new DecodeError('rotateTo: the response has no key', { bodyText: JSON.stringify(rotated) })
}

const LOST = 'the new key is lost if the old one was replaced; then make another key'

/** A response of another shape may hold the only copy of the new key, so it is kept. */
async function giveUp(error: unknown, secretFile: SecretFile, file: string): Promise<never> {
  if (error instanceof DecodeError && error.bodyText) {
    await secretFile.keep(error.bodyText)
    throw Object.assign(error, { hint: `the response is in ${file}.new` })
  }
  await secretFile.discard()
  if (hasErrorMarker(error) && error.outcome) throw Object.assign(error, { hint: LOST })
  throw error
}

async function openFile(file: string): Promise<SecretFile> {
  try {
    return await openSecretFile(file)
  } catch (cause) {
    const problem = `"${file}" cannot be written: ${(cause as Error).message}`
    throw invalid('rotateTo', 'file', problem, cause)
  }
}

/** Waits for the trial call. A 403 is fine: the service knows the key, which only may not read the limit. */
async function verify(trial: Promise<unknown>, file: string) {
  try {
    await trial
  } catch (error) {
    if (!hasErrorMarker(error)) throw error
    if (Reflect.get(error, 'status') === 403) return
    const hint = `the new key is in ${file}, but untested; try it before you rotate again`
    throw Object.assign(error, { hint })
  }
}

/** A file for the only copy of a secret, prepared so that saving cannot fail for lack of space or access. */
interface SecretFile {
  /** Writes the text to the disk and puts the file in its place. */
  save(text: string): Promise<void>
  /** Writes the text to the prepared file, whose name ends in `.new`, and leaves it there. */
  keep(text: string): Promise<void>
  /** Removes the prepared file. */
  discard(): Promise<void>
}

// Bytes that are reserved before the call, so that a full disk fails early. Longer than any key.
const ROOM = 16_384

/** Prepares a file that only its owner can read, beside the one that it will replace. */
async function openSecretFile(file: string): Promise<SecretFile> {
  // Loaded here, since not every runtime has a file system.
  const { open, rename, rm, stat } = await import('node:fs/promises')
  const found = await stat(file).catch(() => undefined)
  if (typeof file !== 'string' || !file || found?.isFile() === false)
    throw new Error('it is not a file')
  const temporary = `${file}.new`
  // `wx`: a planted link is not followed, and the second of two concurrent rotations is refused.
  const handle = await open(temporary, 'wx', 0o600)
  const discard = async () => {
    await handle.close().catch(() => undefined)
    await rm(temporary, { force: true })
  }
  try {
    await handle.write(' '.repeat(ROOM), 0)
    await handle.sync()
  } catch (error) {
    await discard()
    throw error
  }
  const keep = async (text: string) => {
    await handle.write(text, 0)
    await handle.truncate(Buffer.byteLength(text))
    await handle.sync()
    await handle.close()
  }
  return {
    discard,
    keep,
    async save(text) {
      await keep(text)
      await rename(temporary, file)
    },
  }
}
