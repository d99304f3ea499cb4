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
  killSwitches: [
    { key: 'disableAllHooks', in: 'own' },
    { key: 'allowManagedHooksOnly', in: 'managed' },
  ],
  managed: {
    linux: '/etc/claude-code/managed-settings.json',
    darwin: '/Library/Application Support/ClaudeCode/managed-settings.json',
  },
  transcripts: ['projects'],
  restartNote: 'Claude Code reads its hooks when it starts: restart running sessions',
})
