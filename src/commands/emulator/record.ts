import { writeFile } from 'node:fs/promises'
import { print } from '../../cli/output.ts'
import { describeError, errorCode, HookbellError, usageError } from '../../errors.ts'
import { quoteWord } from '../../text/shell.ts'
import { writePrivate } from '../_write-private.ts'
import { toSafeJson } from '../api/fields.ts'

interface Recording {
  baseUrl: string | undefined
  appUrl: string | undefined
  out: string | undefined
  port: number
  json: boolean
  /** Resolves when the recording is to end. */
  stopped: Promise<unknown>
}

/** Passes requests on to a service until it is stopped, and writes the seed that its responses make. */
export async function recordSeed({ baseUrl, appUrl, out, port, stopped, json }: Recording) {
  if (!baseUrl) throw usageError('emulator record: --base-url is missing', 'The URL of the API')
  if (!out) throw usageError('emulator record: --out is missing', 'The seed file to write')
  const { startRecorder } = await import('../../emulator/record/proxy.ts')
  const onNote = (text: string) => process.stderr.write(`Note: ${text}\n`)
  const recorder = await startRecorder({ baseUrl, appUrl, port, onNote }).catch(explain)
  try {
    // Before anything is recorded: a file that cannot be written would lose it all. Nor is another recording lost.
    await reserve(out)
    print(toSafeJson({ url: recorder.url }))
    if (process.stdout.isTTY && !json) process.stderr.write(howToUse(recorder.url, out))
    await stopped
  } finally {
    await recorder.close()
  }
  await writePrivate('emulator record', out, `${JSON.stringify(recorder.seed(), null, 2)}\n`)
}

/** Creates the file, empty. @throws HookbellError E_USAGE if it exists or cannot be written */
async function reserve(out: string) {
  await writeFile(out, '', { flag: 'wx', mode: 0o600 }).catch((cause: unknown) => {
    const isThere = errorCode(cause) === 'EEXIST'
    const hint = isThere ? 'Give another name, or remove it' : describeError(cause)
    const problem = isThere ? 'exists already' : 'cannot be written'
    throw usageError(`emulator record: "${out}" ${problem}`, hint, cause)
  })
}

async function explain(error: unknown): Promise<never> {
  const { EmulatorError } = await import('../../emulator/errors.ts')
  if (!(error instanceof EmulatorError)) throw error
  const { hint, isTaken } = error
  const message = `emulator record: ${describeError(error)}`
  throw new HookbellError(isTaken ? 'E_UNAVAILABLE' : 'E_USAGE', message, { cause: error, hint })
}

function howToUse(url: string, out: string): string {
  const lines = [
    '\nRecording until Ctrl+C. In another terminal, with your key as usual:',
    `  export HOOKBELL_API_BASE_URL=${url} HOOKBELL_APP_BASE_URL=${url}`,
    `Afterwards: hookbell emulator --seed ${quoteWord(out)}\n`,
  ]
  return lines.join('\n')
}
