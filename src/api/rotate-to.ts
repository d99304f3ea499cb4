import type { CallOptions } from './core/options.ts'
import { ConfigError, DecodeError, hasErrorMarker, invalid } from './errors.ts'
import { withoutUndefined } from './record.ts'
import { openSecretFile, type SecretFile } from './secret-file.ts'

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

/** The response of a rotation. */
interface Rotated {
  apiKey: Omit<RotatedKey, 'file'> & { value: string }
}

/** A call that needs a key and changes nothing. */
type TryKey = (apiKey: string, options: CallOptions) => Promise<unknown>

/** Makes `serviceAccounts.keys.rotateTo` of a client. */
export function makeRotateTo<Input>(
  rotate: (input: Input, options?: CallOptions) => Promise<Rotated>,
  tryKey: TryKey,
) {
  return async function rotateTo(
    file: string,
    input: Input,
    options?: CallOptions,
  ): Promise<RotatedKey> {
    const secretFile = await openFile(file)
    const { value, id, fingerprint, name, expiresAt } = await rotate(input, options)
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
function requireKey(rotated: Rotated): Rotated['apiKey'] {
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
