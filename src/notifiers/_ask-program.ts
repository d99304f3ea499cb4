import { SYSTEM_PATH } from './_programs.ts'

/** Runs a system program for its short output. It inherits no environment variables. Never rejects. */
export async function askProgram(
  file: string,
  args: readonly string[],
  { env, signal }: { env?: Readonly<Record<string, string | undefined>>; signal: AbortSignal },
) {
  const { execa } = await import('execa')
  return await execa(file, args, {
    env: { PATH: SYSTEM_PATH, ...env },
    extendEnv: false,
    stdin: 'ignore',
    cwd: '/',
    cancelSignal: signal,
    killSignal: 'SIGKILL',
    maxBuffer: 10_000,
    reject: false,
  })
}
