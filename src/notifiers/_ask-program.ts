import { programAnswers } from '../fs/program-answers.ts'
import { SYSTEM_PATH } from './_programs.ts'
import { untilAborted } from './_until-aborted.ts'
import { tooLate } from './define.ts'

const CANCELED = { failed: true, isCanceled: true, code: undefined, stdout: '', stderr: '' }

/** Runs a system program for its short output. It inherits no environment variables. Never rejects. */
export async function askProgram(
  file: string,
  args: readonly string[],
  { env, signal }: { env?: Readonly<Record<string, string | undefined>>; signal: AbortSignal },
) {
  const fullEnv = { PATH: SYSTEM_PATH, ...env }
  try {
    const answers = () => programAnswers(file, fullEnv.PATH)
    await untilAborted(answers, signal, () => tooLate(file, signal))
  } catch {
    return CANCELED
  }
  const { execa } = await import('execa')
  const running = execa(file, args, {
    env: fullEnv,
    extendEnv: false,
    stdin: 'ignore',
    cwd: '/',
    cancelSignal: signal,
    killSignal: 'SIGKILL',
    maxBuffer: 10_000,
    reject: false,
  })
  // Another process may hold the pipes after the kill, such as one that the program has started.
  const letGo = () => {
    running.stdout.destroy()
    running.stderr.destroy()
  }
  signal.addEventListener('abort', letGo, { once: true })
  if (signal.aborted) letGo()
  return await running.finally(() => signal.removeEventListener('abort', letGo))
}
