/** Facts of the agent's session that the worker cannot find out later. No secrets. Same list: bin/hookbell-hook. */
const names = [
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'DBUS_SESSION_BUS_ADDRESS',
  'XDG_RUNTIME_DIR',
  'XDG_SESSION_TYPE',
  'TMUX',
  'TMUX_PANE',
  'STY',
  'TERM_PROGRAM',
  'WT_SESSION',
  'SSH_CONNECTION',
  'SSH_TTY',
  'FACTORY_PROJECT_DIR',
  'CLAUDE_PROJECT_DIR',
  'DROID_DISABLE_NOTIFICATIONS',
]

export function sessionEnv(env: NodeJS.ProcessEnv): Record<string, string> {
  const facts: Record<string, string> = {}
  for (const name of names) {
    const value = env[name]
    if (value && value.length <= 1024) facts[name] = value
  }
  return facts
}
