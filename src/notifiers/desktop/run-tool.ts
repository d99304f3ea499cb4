import { dirname } from 'node:path'
import { programAnswers } from '../../fs/program-answers.ts'
import { untilAborted } from '../_until-aborted.ts'
import { tooLate } from '../define.ts'
import { type Tool, toolFailure } from './tools.ts'

/** Runs a program that shows a notification. @returns what it printed. @throws DeliveryError */
export async function runTool(tool: Tool, signal: AbortSignal): Promise<string> {
  const isHanging = () => tooLate('desktop', signal, `the disk of ${tool.file} did not answer`)
  await untilAborted(() => programAnswers(tool.file, tool.env.PATH), signal, isHanging)
  const { execa } = await import('execa')
  const result = await execa(tool.file, tool.args, {
    env: tool.env,
    extendEnv: false,
    input: tool.input ?? '',
    cancelSignal: signal,
    killSignal: 'SIGKILL',
    maxBuffer: 100_000,
    reject: false,
    // Our own working directory may have been deleted.
    cwd: dirname(process.execPath),
  })
  if (!result.failed) return result.stdout
  if (result.isCanceled) throw tooLate('desktop', signal)
  // Not execa's own message: it repeats the arguments.
  const text = result.stderr || result.originalMessage || `exit status ${result.exitCode}`
  throw toolFailure(tool.file, { code: result.code, text })
}
