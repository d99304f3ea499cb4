import * as clack from '@clack/prompts'
import { interrupted } from '../../cli/ask.ts'
import { terminalWidth } from '../../cli/output.ts'
import { wrapText } from '../../cli/wrap-text.ts'

const FRAME = 3

/** What is wrong with an answer; undefined if nothing is. */
export type Fault = (answer: string) => string | undefined

/** Asks a person what a channel needs. */
export interface Dialog {
  text(
    question: string,
    options: { fault: Fault; placeholder?: string; initial?: string },
  ): Promise<string>
  /** A value that nobody beside the person may read. */
  secret(question: string, fault: Fault): Promise<string>
  choose<Value extends string>(
    question: string,
    choices: Readonly<Record<Value, string>>,
  ): Promise<Value>
  /** Tells something that is no question. */
  say(text: string): void
  /** Keeps a value for `secrets.env`. @returns the reference to it for the configuration */
  store(variable: string, value: string): string
}

/** Asks on the terminal. Each method throws HookbellError E_INTERRUPTED after Ctrl+C or Escape. */
export function terminalDialog(title: string, secrets: Map<string, string>): Dialog {
  const asked = (question: string) => `${title}: ${question}`
  return {
    text: (question, { fault, placeholder, initial }) =>
      answerOf(
        clack.text({
          message: asked(question),
          validate: belowFrame(fault),
          ...(placeholder !== undefined && { placeholder }),
          ...(initial !== undefined && { initialValue: initial }),
        }),
      ).then(trimmed),
    secret: (question, fault) =>
      answerOf(
        clack.password({
          message: asked(`${question} (hidden)`),
          mask: '•',
          validate: belowFrame(fault),
          // A wrong text that nobody can see would stay before the next one.
          clearOnError: true,
        }),
      ).then(trimmed),
    choose: async <Value extends string>(
      question: string,
      choices: Readonly<Record<Value, string>>,
    ) => {
      const options = Object.entries<string>(choices).map(([value, label]) => ({ value, label }))
      return (await answerOf(clack.select({ message: asked(question), options }))) as Value
    },
    say: (text) => clack.log.message(inFrame(text)),
    store(variable, value) {
      secrets.set(variable, value)
      return `\${${variable}}`
    },
  }
}

/** Wraps a text that stands beside the line at the left. */
export function inFrame(text: string): string {
  return wrapText(text, (terminalWidth() ?? 80) - FRAME, 0)
}

/** Wraps what is wrong with an answer: the next line begins below the first one, not at the edge of the terminal. */
export function belowFrame(
  fault: Fault,
  columns = terminalWidth() ?? 80,
): (answer: string | undefined) => string | undefined {
  return (answer) => {
    const what = fault(answer?.trim() ?? '')
    return what && wrapText(what, columns - FRAME, FRAME)
  }
}

/** @throws HookbellError E_INTERRUPTED after Ctrl+C or Escape */
export async function answerOf<Value>(question: Promise<Value>): Promise<Exclude<Value, symbol>> {
  const answer = await question
  if (clack.isCancel(answer)) throw interrupted()
  return answer as Exclude<Value, symbol>
}

/** What was pasted often has a space around it. */
function trimmed(answer: string): string {
  return answer.trim()
}
