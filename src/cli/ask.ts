import { createInterface } from 'node:readline/promises'

interface AskOptions {
  /** Whether Enter alone is yes. */
  enterIsYes: boolean
  /** Where the question goes; stderr where stdout belongs to the result. Default: stdout. */
  output?: NodeJS.WriteStream
}

/** The end of the input and Ctrl+C are no. */
export async function askYesNo(
  question: string,
  { enterIsYes, output = process.stdout }: AskOptions,
): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output })
  const closed = new Promise<undefined>((resolve) => {
    terminal.once('close', () => resolve(undefined))
  })
  try {
    const answered = terminal.question(question).catch(() => undefined)
    const answer = await Promise.race([answered, closed])
    if (answer === undefined) output.write('\n')
    if (answer?.trim() === '') return enterIsYes
    return answer !== undefined && /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
