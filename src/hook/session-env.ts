import { statOf } from '../spool/lock/owner.ts'

/**
 * Facts of the agent's session that the worker cannot find out later. No secrets. A repository can set them, so each may
 * decide only what docs/front-door.md says. Same list: bin/hookbell-hook.
 */
export const sessionFacts: readonly string[] = [
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'TMUX',
  'TMUX_PANE',
  'STY',
  'TERM',
  'TERM_PROGRAM',
  'LC_TERMINAL',
  'SSH_CONNECTION',
  'SSH_TTY',
  'FACTORY_PROJECT_DIR',
  'CLAUDE_PROJECT_DIR',
  'DROID_DISABLE_NOTIFICATIONS',
  'CLAUDE_CODE_SESSION_ATTENDED',
  'CLAUDE_CODE_ENTRYPOINT',
  'QWEN_CODE_MESSAGING_SOCKET',
]
/** How many ancestors are searched for a terminal. bin/hookbell-hook searches four: each costs dash 0.1 ms. */
const STEPS = 8

/** @param asker the process whose terminal, or whose nearest ancestor's, is recorded. Default: the agent */
export function sessionEnv(env: NodeJS.ProcessEnv, asker = process.ppid): Record<string, string> {
  const facts: Record<string, string> = {}
  for (const name of sessionFacts) {
    const value = env[name]
    if (value && value.length <= 1024) facts[name] = value
  }
  const inTerminal = nearestInTerminal(asker)
  if (inTerminal?.tty) {
    facts.HOOKBELL_TTY = `${inTerminal.tty}`
    // Another job may be that of the hook alone.
    if (inTerminal.isInFront) facts.HOOKBELL_JOB = `${inTerminal.job}`
  }
  return facts
}

/**
 * The agent, or its nearest ancestor that has a terminal: agents start hooks without one. The first process of its job is the
 * agent, or what started it, and lives as long.
 */
function nearestInTerminal(agent: number): ReturnType<typeof statOf> {
  let pid = agent
  for (let step = 0; step < STEPS && pid > 0; step += 1) {
    const stat = statOf(pid)
    if (!stat || stat.tty) return stat
    pid = stat.parent
  }
}
