import { SYSTEM_PATH } from './_programs.ts'

/** Runs a system program for its short output. It inherits no environment variables. Never rejects. */
export async function askProgram(
  file: string,
  args: readonly string[],
  { env, signal }: { env?: Readonly<Record<string, string | undefined>>; signal: AbortSignal },
) {
  const { execa } = await import('execa')
  const running = execa(file, args, {
    env: { PATH: SYSTEM_PATH, ...env },
    extendEnv: false,
    stdin: 'ignore',
    cwd: '/',
    cancelSignal: signal,
    killSignal: 'SIGKILL',
    maxBuffer: 10_000,
    reject: false,
  })
  // Another process may hold the pipes after the kill: a tmux passes them to its server, which may not answer at all.
  const letGo = () => {
    running.stdout.destroy()
    running.stderr.destroy()
  }
  signal.addEventListener('abort', letGo, { once: true })
  if (signal.aborted) letGo()
  return await running.finally(() => signal.removeEventListener('abort', letGo))
}
