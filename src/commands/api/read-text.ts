import { readFile } from 'node:fs/promises'
import { describeError, usageError } from '../../errors.ts'

/** The text of a file, or of stdin for `-`, without the byte order mark that programs of Windows write. */
export async function readText(command: string, source: string): Promise<string> {
  return new TextDecoder().decode(await readBytes(command, source))
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
