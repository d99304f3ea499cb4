import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { describeError, errorCode, HookbellError } from '../errors.ts'
import { appendLine } from '../fs/append.ts'
import { expandHome } from '../fs/home.ts'
import { forProgram } from './_text.ts'
import { untilAborted } from './_until-aborted.ts'
import { DeliveryError, defineNotifier, type Message, tooLate } from './define.ts'

export const file = defineNotifier({
  name: 'file',
  title: 'File (JSON lines)',
  options: z.strictObject({
    path: z
      .string()
      .refine(
        (path) => /^~[/\\]/.test(path) || isAbsolute(path),
        'must be absolute or begin with ~/',
      )
      .describe('File to append to, such as ~/agent-events.jsonl'),
  }),
  isRecord: true,
  compose: composeLine,
  // Lines that are sent at the same time are written with one fdatasync, in the order they were sent.
  concurrency: 512,
  keepsOrder: true,
  async send(message, { path }, { signal }) {
    const file = expandHome(path) ?? path
    const { body } = composeLine(message)
    // The line may still be written later. The line of the retry then has the same id.
    const isTooLate = () => tooLate('file', signal, 'the line was not on the disk')
    try {
      await untilAborted(() => appendLine(file, body), signal, isTooLate)
      return `written to ${file}`
    } catch (error) {
      throw error instanceof DeliveryError ? error : fileFailure(file, error)
    }
  },
})

function composeLine(message: Message) {
  return { body: `${JSON.stringify(forProgram(message))}\n` }
}

const permanentCodes = ['EACCES', 'EISDIR', 'ENOTDIR', 'ENXIO', 'EPERM']

function fileFailure(file: string, error: unknown): DeliveryError {
  const code = errorCode(error) ?? ''
  if (code === 'ELOOP') {
    const hint = 'Links are not followed: name the file itself'
    return new DeliveryError('give-up', `file: ${file} is a link`, { hint, cause: error })
  }
  const isPermanent = error instanceof HookbellError || permanentCodes.includes(code)
  const verdict = isPermanent ? 'give-up' : 'retry'
  return new DeliveryError(verdict, `file: ${describeError(error)}`, { cause: error })
}
