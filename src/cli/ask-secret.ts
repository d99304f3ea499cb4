import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { usageError } from '../errors.ts'

const MAX_LENGTH = 64 * 1024
const MAX_DOTS = 20

/**
 * Reads a secret: typed on the terminal without echo, or else all of a piped stdin without its final newline.
 * Never from the command line, where other users can read it.
 * @throws HookbellError E_USAGE if it is empty, or longer than 64 Ki characters
 */
export async function askSecret(question: string): Promise<string> {
  const answer = process.stdin.isTTY
    ? await askHidden(question)
    : (await text(process.stdin)).replace(/\r?\n$/, '')
  if (answer === '') throw usageError('no value was given', 'Type it, or pipe it in on stdin')
  if (answer.length > MAX_LENGTH)
    throw usageError(`the value has more than ${MAX_LENGTH} characters`)
  return answer
}

/** Returns '' at the end of the input and after Ctrl+C. */
function askHidden(question: string): Promise<string> {
  process.stderr.write(question)
  // readline echoes what is typed to its output, so the output is discarded.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const terminal = createInterface({ input: process.stdin, output, terminal: true })
  // Dots show that something arrives. A long value must not go on in the next line.
  const showDots = () => {
    const dots = '•'.repeat(Math.min(terminal.line.length, MAX_DOTS))
    process.stderr.write(`\r\u001b[K${question}${dots}`)
  }
  process.stdin.on('keypress', showDots)
  return new Promise((resolve) => {
    const end = (answer: string) => {
      // Resolve first: closing the interface emits 'close', which resolves with ''.
      resolve(answer)
      process.stdin.off('keypress', showDots)
      terminal.close()
      process.stderr.write('\n')
    }
    terminal.once('line', end)
    terminal.once('SIGINT', () => end(''))
    terminal.once('close', () => resolve(''))
  })
}
