import { parse } from 'node:path'

/**
 * Starts a program in a process session of its own, without this one's folder, streams and environment. @returns its
 * process id; undefined if it cannot be started
 */
export function startDetached(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): number | undefined {
  try {
    // Not in the agent's folder, which may be deleted. Windows has a root per drive.
    const cwd = parse(program).root
    // Loaded only when something is to be started: it costs 3 ms.
    const child = process
      .getBuiltinModule('node:child_process')
      .spawn(program, args, { cwd, detached: true, stdio: 'ignore', windowsHide: true, env })
    child.on('error', () => {}).unref()
    return child.pid
  } catch {
    // No process can be started: the next hook tries again.
    return undefined
  }
}
