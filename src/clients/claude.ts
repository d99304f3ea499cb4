import { defineClient } from './define.ts'

export const claude = defineClient({
  name: 'claude',
  title: 'Claude Code',
  folder: '.claude',
  movedBy: { folder: 'CLAUDE_CONFIG_DIR' },
  settings: [{ name: 'settings.json', shape: 'wrapped' }],
  legacy: [],
  events: ['Notification', 'Stop', 'SubagentStop', 'SessionEnd'],
  timeoutUnit: 's',
  // Git Bash, where `>NUL` would leave an undeletable file (anthropics/claude-code#23942).
  windowsShell: 'sh',
  killSwitches: [
    { key: 'disableAllHooks', in: 'own' },
    { key: 'allowManagedHooksOnly', in: 'managed' },
  ],
  managed: {
    linux: '/etc/claude-code/managed-settings.json',
    darwin: '/Library/Application Support/ClaudeCode/managed-settings.json',
  },
  transcripts: ['projects'],
  restartNote: 'restart running sessions: Claude Code reads its hooks when it starts',
})
