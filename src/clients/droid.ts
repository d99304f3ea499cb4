import { defineClient } from './define.ts'

export const droid = defineClient({
  name: 'droid',
  title: 'Factory droid',
  folder: '.factory',
  movedBy: { home: 'FACTORY_HOME_OVERRIDE' },
  // By the reference, `settings.json` counts only where there is no `hooks.json`. So a `hooks.json`
  // that is there is the file to write, and one that is not there is never created: it would switch
  // off every hook that lives in `settings.json`, and 0.186 did not even read it in exec mode
  // (Factory-AI/factory#3). `settings.json` was seen to work in 0.186 and 0.225, and versions
  // before 0.136 know nothing else.
  settings: [
    { name: 'hooks.json', shape: 'bare' },
    { name: 'settings.json', shape: 'wrapped' },
  ],
  legacy: ['hooks/hooks.json'],
  events: ['Notification', 'Stop', 'SubagentStop', 'SessionEnd'],
  timeoutUnit: 's',
  windowsShell: 'cmd',
  killSwitches: [
    { key: 'hooksDisabled', in: 'own' },
    { key: 'allowManagedHooksOnly', in: 'managed' },
  ],
  managed: {
    linux: '/etc/factory/settings.json',
    darwin: '/Library/Application Support/Factory/settings.json',
  },
  // Sessions are written to `sessions`; the hook reference shows `projects`.
  transcripts: ['sessions', 'projects'],
  restartNote: 'restart running sessions: droid reads its hooks when it starts',
})
