import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { usageError } from '../errors.ts'

const MAX_LENGTH = 64 * 1024

/**
 * A secret from the terminal, which shows nothing of it, or else all of stdin without its last line end.
 * Never from the command line, where other users can read it.
 * @throws HookbellError E_USAGE where nothing came
 */
export async function askSecret(question: string): Promise<string> {
  const answer = process.stdin.isTTY
    ? await askHidden(question)
    : (await text(process.stdin)).replace(/\r?\n$/, '')
  if (answer === '') throw usageError('no value was given', 'Type it, or pipe it in on stdin')
  if (answer.length > MAX_LENGTH) throw usageError(`the value is longer than ${MAX_LENGTH}`)
  return answer
}

/** The end of the input and Ctrl+C are no answer. */
function askHidden(question: string): Promise<string> {
  process.stderr.write(question)
  // What is typed would be repeated here.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output, terminal: true })
  return new Promise((resolve) => {
    const end = (answer: string) => {
      // First: to close it counts as the end of the input.
      resolve(answer)
      terminal.close()
      process.stderr.write('\n')
    }
    terminal.once('line', end)
    terminal.once('SIGINT', () => end(''))
    terminal.once('close', () => resolve(''))
  })
}
