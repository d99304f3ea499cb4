import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describeError, errorCode, HookbellError } from '../../errors.ts'
import { realPath } from '../../fs/links.ts'
import { checkFolder, checkOwnership } from '../../fs/ownership.ts'
import { programAnswers } from '../../fs/program-answers.ts'
import { packageRoot } from '../../package-root.ts'
import { answerLine } from '../_network.ts'
import { basicEnv, ownUser } from '../_programs.ts'
import { type Ended, runProgram } from '../_run-program.ts'
import { untilAborted } from '../_until-aborted.ts'
import { DeliveryError, type Message, type SendContext, tooLate } from '../define.ts'
import type { Call, Fault, Reply } from './child.ts'

export interface Channel {
  file: string
  options: Readonly<Record<string, unknown>>
}

type Limits = Pick<SendContext, 'signal' | 'extraCaFile'>

/** More than any message: a longer reply is not one. */
const REPLY_LENGTH = 1024 * 1024

/**
 * Calls a function of the user's notifier in a new process, and ends it with the signal.
 * @returns what it returned, as JSON has it; null if the notifier has no such function
 * @throws DeliveryError whatever the notifier does
 */
export async function callModule(
  channel: Channel,
  call: Omit<Call, 'file' | 'options'> & { message?: Message },
  { signal, extraCaFile }: Limits,
): Promise<unknown> {
  const file = channel.file.replace(/^~(?=[/\\])/, ownUser().homedir)
  const name = basename(file)
  const isTooLate = () => tooLate(name, signal, `${call.name} was ended: it did not return`)
  const isHanging = () => tooLate(name, signal, `the disk of ${file} did not answer`)
  await untilAborted(() => programAnswers(file), signal, isHanging)
  refuseAtRisk(file)
  const ended = await runProgram(
    {
      argv: [process.execPath, join(packageRoot(), 'dist/packages/notifier.mjs')],
      env: { ...basicEnv(), ...(extraCaFile && { NODE_EXTRA_CA_CERTS: extraCaFile }) },
      cwd: dirname(realPath(file)),
      input: JSON.stringify({ ...call, file: realPath(file), options: channel.options }),
      keep: REPLY_LENGTH,
    },
    signal,
  )
  if (signal.aborted) throw isTooLate()
  const reply = replyOf(ended)
  if (reply === undefined) throw withoutReply(name, ended, secretsIn(channel))
  if ('value' in reply) return reply.value
  throw toError(name, reply.fault, secretsIn(channel))
}

/** As for the configuration: whoever can change the file, or put another in its place, decides what runs. */
function refuseAtRisk(file: string) {
  try {
    const stat = statSync(file)
    if (!stat.isFile()) throw new HookbellError('E_CONFIG', `${file}: not a regular file`)
    for (const path of new Set([file, realPath(file)])) checkFolder(dirname(path))
    checkOwnership(realPath(file), stat)
  } catch (error) {
    const isMissing = errorCode(error) === 'ENOENT'
    const what = isMissing ? `there is no file ${file}` : describeError(error)
    const hint = error instanceof HookbellError ? error.hint : undefined
    throw dead(`${basename(file)}: ${what}`, hint)
  }
}

/** Nothing gets through until a person corrects the channel. */
function dead(message: string, hint?: string): DeliveryError {
  return new DeliveryError('give-up', message, { hint, isChannelDead: true })
}

/** The notifier may print as well; what it prints goes to stderr, but a program that it starts may write to stdout. */
function replyOf({ stdout }: Ended): Reply | undefined {
  try {
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
  } catch {
    return undefined
  }
}

function withoutReply(name: string, ended: Ended, secrets: readonly string[]): DeliveryError {
  const { notStarted, killedBy, status, stderr } = ended
  if (notStarted !== undefined)
    return new DeliveryError('retry', `${name}: Node.js could not be started (${notStarted})`)
  const how = killedBy === undefined ? `with status ${status}` : `by ${killedBy}`
  const said = answerLine(errorIn(stderr), secrets)
  return new DeliveryError('retry', `${name}: its process ended ${how}${said && `: ${said}`}`)
}

/** Of what Node.js prints about an error that nobody caught, the line that says what it is. */
function errorIn(stderr: string): string {
  return /^\w*Error\b.*$/m.exec(stderr)?.[0] ?? stderr.trim().split('\n').at(-1) ?? ''
}

function toError(name: string, fault: Fault, secrets: readonly string[]): DeliveryError {
  const { verdict, message, hint, retryAfterMs, isChannelDead, handle } = fault
  return new DeliveryError(verdict, `${name}: ${answerLine(message, secrets)}`, {
    ...{ retryAfterMs, isChannelDead, handle },
    hint: hint && answerLine(hint, secrets),
  })
}

/** The texts in the options: errors of receivers may repeat them. Short ones are ordinary words. */
export function secretsIn({ options }: Channel): string[] {
  const texts = (value: unknown): string[] => {
    if (typeof value === 'string') return value.length > 5 ? [value] : []
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : []
  }
  return texts(options)
}
