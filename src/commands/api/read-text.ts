import { readFile } from 'node:fs/promises'
import { describeError, usageError } from '../../errors.ts'

const UTF_16_MARKS: readonly string[] = ['fffe', 'feff']

/** The text of a file, or of stdin for `-`, without the byte order mark that programs of Windows write. */
export async function readText(command: string, source: string): Promise<string> {
  const bytes = await readBytes(command, source)
  // As PowerShell 5 and some editors write it.
  if (UTF_16_MARKS.includes(bytes.toString('hex', 0, 2))) {
    const name = source === '-' ? 'stdin' : `"${source}"`
    throw usageError(`${command}: ${name} is in UTF-16`, 'Save it as UTF-8')
  }
  return new TextDecoder().decode(bytes)
}

async function readBytes(command: string, source: string): Promise<Buffer> {
  if (source !== '-') {
    return await readFile(source).catch((cause: unknown) => {
      throw usageError(`${command}: cannot read "${source}"`, describeError(cause), cause)
    })
  }
  // Without this note, the command would seem to hang.
  if (process.stdin.isTTY)
    process.stderr.write('Reading from the terminal, to the end with Ctrl+D\n')
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
