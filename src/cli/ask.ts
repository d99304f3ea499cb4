import { createInterface } from 'node:readline/promises'

interface AskOptions {
  /** Whether Enter alone is yes. */
  enterIsYes: boolean
  /** Where the question goes; stderr where stdout belongs to the result. Default: stdout. */
  output?: NodeJS.WriteStream
}

/** The end of the input and Ctrl+C are no. */
export async function askYesNo(question: string, options: AskOptions): Promise<boolean> {
  const answer = await askLine(question, options.output)
  if (answer === '') return options.enterIsYes
  return answer !== undefined && /^y(es)?$/i.test(answer)
}

/** @returns undefined at the end of the input and after Ctrl+C */
export async function askLine(
  question: string,
  output: NodeJS.WriteStream = process.stdout,
): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output })
  const closed = new Promise<undefined>((resolve) => {
    terminal.once('close', () => resolve(undefined))
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
