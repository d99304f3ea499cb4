import { createInterface } from 'node:readline/promises'

/** Enter is yes; the end of the input and Ctrl+C are no. */
export async function askYesNo(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const closed = new Promise<undefined>((resolve) => {
    terminal.once('close', () => resolve(undefined))
  })
  try {
    const answered = terminal.question(question).catch(() => undefined)
    const answer = await Promise.race([answered, closed])
    if (answer === undefined) process.stdout.write('\n')
    return answer !== undefined && /^(y|yes)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
