import { fstatSync, statSync, writeSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '../../api/index.ts'
import { errorCode, usageError } from '../../errors.ts'
import { endedByInterrupt, withClient } from './client.ts'
import { toSafeJson } from './fields.ts'
import type { Flag } from './flags.ts'
import { printResponse } from './print-response.ts'
import { renderResponse } from './response-table.ts'

type RotateInput = Parameters<Client['serviceAccounts']['keys']['rotate']>[0]

/**
 * Rotates a key, whose new value is shown only once. The output is therefore tested before the call: the file is
 * opened, or stdout is written to, which may be a closed pipe or a full disk.
 */
export async function rotateKey(
  given: Record<string, unknown>,
  { output, table = false }: { output?: unknown; table?: boolean },
  flags: readonly Flag[],
) {
  const input = given as unknown as RotateInput
  const command = 'api serviceAccounts.keys.rotate'
  if (output === '') throw usageError(`${command}: --output takes a file, not ""`)
  // After Ctrl+C the prepared file must still be removed.
  const options = endedByInterrupt()
  await withClient(
    command,
    async ({ serviceAccounts: { keys } }) => {
      if (typeof output === 'string') {
        const rotated = keys.rotateTo(output, input, options)
        return printResponse(await rotated.catch((error: unknown) => rethrow(error, output)))
      }
      tryStdout(command)
      const response = await keys.rotate(input, options)
      const text = table ? renderResponse(response).text : toSafeJson(response, 2)
      await writeOrSave(`${text}\n`)
    },
    [...flags, outputFlag],
  )
}

/** So that errors name the flag, not the parameter of `rotateTo`. */
const outputFlag: Flag = {
  input: 'file',
  name: '--output',
  kind: 'text',
  isNullable: false,
  isRequired: false,
  description: '',
  hint: 'FILE',
  shape: '',
}

/** An earlier rotation left its file if it was killed, or could not put it in place. */
function rethrow(error: unknown, output: string): never {
  const { cause } = Object(error)
  if (errorCode(cause) !== 'EEXIST') throw error
  const hint = `"${output}.new" is of another rotation and may hold a new key: look, then move it away`
  throw Object.assign(Object(error), { hint })
}

/** Writes an empty line, which a reader of JSON ignores and which fails if the key would be lost. */
function tryStdout(command: string) {
  if (process.stdout.isTTY) return
  const stdout = fstatSync(1)
  // Node.js opens /dev/null in place of a closed stdout.
  if (
    process.platform !== 'win32' &&
    stdout.isCharacterDevice() &&
    stdout.rdev === statSync(devNull).rdev
  )
    throw usageError(`${command}: nobody would see the new key; use --output FILE`)
  writeAll('\n')
}

async function writeOrSave(text: string) {
  try {
    writeAll(text)
  } catch (cause) {
    const file = join(await mkdtemp(join(tmpdir(), 'hookbell-key-')), 'response.json')
    await writeFile(file, text, { mode: 0o600 })
    process.stderr.write(`The output was closed. The new key is in ${file}\n`)
    throw cause
  }
}

const PATIENCE_MS = 5_000

function writeAll(text: string) {
  const bytes = Buffer.from(text)
  const startedAt = Date.now()
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(1, bytes, done)
    } catch (error) {
      // The pipe is non-blocking and full: wait for its slow reader.
      if (errorCode(error) !== 'EAGAIN' || Date.now() - startedAt > PATIENCE_MS) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}
