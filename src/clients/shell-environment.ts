import type { Env } from '../fs/home.ts'
import type { Client } from './define.ts'
import { clients } from './index.ts'

/**
 * The environment, if it is that of a person's shell. Empty in an agent's session, where a repository can set
 * variables: it must not be able to redirect messages that way. A command that a person lets the agent run counts as
 * the agent's.
 */
export function shellEnvironment(env: Env): Env {
  const isSession = (Object.values(clients) as Client[]).some(({ environmentMarks }) =>
    environmentMarks.some((mark) =>
      Object.entries(mark).every(([name, value]) =>
        value === true ? Boolean(env[name]) : env[name] === value,
      ),
    ),
  )
  return isSession ? {} : env
}
