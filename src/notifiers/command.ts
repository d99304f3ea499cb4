import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { programAnswers } from '../fs/program-answers.ts'
import { argv } from '../text/program.ts'
import { answerLine } from './_network.ts'
import { basicEnv, ownUser } from './_programs.ts'
import { type Ended, runProgram } from './_run-program.ts'
import { forProgram } from './_text.ts'
import { untilAborted } from './_until-aborted.ts'
import {
  type ComposeContext,
  DeliveryError,
  defineNotifier,
  type Message,
  tooLate,
} from './define.ts'

const text = z.string().regex(/^[^\0]*$/, 'must have no NUL character')

const options = z.strictObject({
  argv: argv.describe('Program and its arguments, such as ["~/bin/ring", "--loud"]'),
  env: z
    .record(z.string().regex(/^[A-Za-z_]\w*$/, 'the name of a variable'), text)
    .default({})
    .describe('Variables for the program, besides PATH, HOME and the like')
    .meta({ secret: true }),
})

export const command = defineNotifier({
  name: 'command',
  title: 'Command',
  options,
  compose: composeInput,
  async send(message, { argv, env }, context) {
    const { signal } = context
    const { homedir: home } = ownUser()
    const [file = '', ...args] = argv
    const isTooLate = () => tooLate('command', signal, `${file} was killed: it did not end`)
    if (signal.aborted) throw isTooLate()
    const path = file.replace(/^~(?=\/)/, home)
    const isHanging = () =>
      tooLate('command', signal, `the disk of ${file} or of its interpreter did not answer`)
    const fullEnv = { ...basicEnv(), ...env }
    await untilAborted(() => programAnswers(path, fullEnv.PATH), signal, isHanging)
    const ended = await runProgram(
      {
        argv: [path, ...args],
        env: fullEnv,
        // Not the session's folder: a program might read its settings there.
        cwd: existsSync(home) ? home : '/',
        input: composeInput(message, { argv, env }, context).body,
      },
      signal,
    )
    if (signal.aborted) throw isTooLate()
    const secrets = Object.values(env)
    if (ended.status !== 0) throw failure({ file, path }, ended, secrets)
    return answerLine(ended.stdout.trim().split('\n')[0] ?? '', secrets) || 'ended with status 0'
  },
})

/** One line of JSON for stdin. None of it is ever passed as an argument. */
function composeInput(message: Message, _: object, { attempt }: ComposeContext) {
  return { body: `${JSON.stringify({ ...forProgram(message), attempt })}\n` }
}

/**
 * Statuses after which a retry is pointless: those of sysexits.h for wrong usage, input, addresses,
 * rights and configuration, and those of shells and env for a program that cannot be run or found.
 */
const PERMANENT = [64, 65, 66, 67, 68, 70, 76, 77, 78, 126, 127]

/** A program as the configuration names it, and where it was looked for. */
interface Place {
  file: string
  path: string
}

function failure(place: Place, ended: Ended, secrets: readonly string[]): DeliveryError {
  const { notStarted, killedBy, status = -1, stderr } = ended
  if (notStarted !== undefined) return startFailure(place, notStarted)
  const { file } = place
  const how = killedBy === undefined ? `ended with status ${status}` : `was killed by ${killedBy}`
  const said = answerLine(stderr, secrets)
  const verdict = PERMANENT.includes(status) ? 'give-up' : 'retry'
  return new DeliveryError(verdict, `command: ${file} ${how}${said && `: ${said}`}`)
}

function startFailure({ file, path }: Place, code: string): DeliveryError {
  const hints: Record<string, string> = {
    ENOENT: whyNotFound(path),
    EACCES: 'Make it executable: chmod +x',
  }
  const hint = Object.hasOwn(hints, code) ? hints[code] : undefined
  const verdict = hint === undefined ? 'retry' : 'give-up'
  return new DeliveryError(verdict, `command: ${file} could not be started (${code})`, { hint })
}

function whyNotFound(path: string): string {
  if (!isAbsolute(path)) return 'Give its path in full'
  if (!existsSync(path)) return `There is no file ${path}`
  return 'Its first line, after #!, must name an installed program, and must end with LF, not CRLF'
}
