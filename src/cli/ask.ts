import { closeSync, constants, openSync, readSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { HookbellError } from '../errors.ts'

interface AskOptions {
  /** Whether Enter alone means yes. */
  enterIsYes: boolean
  /** Where the question is printed; stderr for a command whose stdout is its result. Default: stdout. */
  output?: NodeJS.WriteStream
}

/** Asks a yes-or-no question. The end of the input means no. @throws HookbellError E_INTERRUPTED after Ctrl+C */
export async function askYesNo(question: string, options: AskOptions): Promise<boolean> {
  const answer = await askLine(question, options.output)
  if (answer === '') return options.enterIsYes
  return answer !== undefined && /^y(es)?$/i.test(answer)
}

/**
 * Asks for one line, before anything is changed.
 * @returns the trimmed answer; undefined at the end of the input
 * @throws HookbellError E_INTERRUPTED after Ctrl+C
 */
export async function askLine(
  question: string,
  output: NodeJS.WriteStream = process.stdout,
): Promise<string | undefined> {
  forgetTyped()
  const terminal = createInterface({ input: process.stdin, output })
  const closed = new Promise<undefined>((resolve, reject) => {
    terminal.once('close', () => resolve(undefined))
    terminal.once('SIGINT', () => {
      output.write('\n')
      reject(interrupted())
    })
  })
  try {
    const answered = terminal.question(question).catch(() => undefined)
    const answer = await Promise.race([answered, closed])
    if (answer === undefined) output.write('\n')
    return answer?.trim()
  } finally {
    terminal.close()
  }
}

/** Drops what was typed before a question was shown, such as Enter while the command worked: it answers nothing. */
export function forgetTyped(): void {
  const { stdin, platform } = process
  if (!stdin.isTTY || platform === 'win32') return
  // Otherwise a line without its end could not be read yet.
  stdin.setRawMode(true)
  let terminal: number | undefined
  try {
    terminal = openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK)
    while (readSync(terminal, Buffer.alloc(1024)) > 0);
  } catch {
    // EAGAIN: nothing is left.
  } finally {
    if (terminal !== undefined) closeSync(terminal)
    stdin.setRawMode(false)
  }
}

/** For a person who stops a command at a question. */
export function interrupted(): HookbellError {
  return new HookbellError('E_INTERRUPTED', 'stopped: nothing was changed')
}
