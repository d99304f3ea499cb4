import { defineClient } from './define.ts'

export const droid = defineClient({
  name: 'droid',
  title: 'Factory droid',
  folder: '.factory',
  movedBy: { home: 'FACTORY_HOME_OVERRIDE' },
  beganIn: ['FACTORY_PROJECT_DIR'],
  programs: ['droid'],
  // An event in `hooks.json` hides the same event in the `settings.json` beside it. So an existing
  // `hooks.json` is the file to write, and a missing one is never created: it would switch off hooks
  // in `settings.json`, and 0.186 did not even read it in exec mode (Factory-AI/factory#3).
  // `settings.json` was seen to work in 0.186 and 0.225, and versions before 0.136 read nothing else.
  settings: [
    { name: 'hooks.json', shape: 'bare' },
    { name: 'settings.json', shape: 'wrapped' },
  ],
  hookFiles: [
    { scope: 'user', path: 'hooks.json', form: 'bare' },
    { scope: 'user', path: 'settings.json', form: 'wrapped' },
    { scope: 'project', path: '.factory/hooks.json', form: 'bare' },
    { scope: 'project', path: '.factory/settings.json', form: 'wrapped' },
  ],
  entries: 'nested',
  hidesByEvent: true,
  isVoidedByOneEntry: true,
  legacy: ['hooks/hooks.json'],
  events: ['Notification', 'Stop', 'SubagentStop', 'SessionEnd', 'UserPromptSubmit'],
  timeoutUnit: 's',
  // entireio/cli#2349
  windowsShell: 'cmd',
  killSwitches: [
    // In `hooks.json` the hooks map is the file itself.
    { key: 'hooksDisabled', in: 'own' },
    { key: 'hooks.hooksDisabled', in: 'own' },
    { key: 'allowManagedHooksOnly', in: 'managed' },
  ],
  managed: {
    linux: '/etc/factory/settings.json',
    darwin: '/Library/Application Support/Factory/settings.json',
  },
  // Sessions are written to `sessions`; the hook reference shows `projects`.
  transcripts: ['sessions', 'projects'],
  transcriptFormat: 'droid',
  // The answer is written before Stop, but the outcome of the turn only after the hooks of Stop have run.
  transcriptLateByMs: 1000,
  restartNote: 'restart running sessions: droid reads its hooks when it starts',

  aliases: {},
  unnamed: [],
  fieldNames: {},
  // The only idle notice of 0.225.2, although the hook reference promises one after a minute. It means that a person
  // pressed Esc; then no Stop is sent.
  variants: [
    { event: 'Notification', where: { message: /^Agent stopped by user\b/ }, means: 'Interrupt' },
    // Measured with 0.225.2: a sub-agent in the background, which is a session of its own, is over.
    { event: 'UserPromptSubmit', where: { message_id: /^task-completion:/ }, means: 'TurnStart' },
  ],
  notices: {},
  // Measured in a terminal with 0.225.2: the program and the process of the agent each report the end, up to 0.4 s apart.
  repeats: [{ after: 'SessionEnd', again: 'SessionEnd', withinMs: 5000, same: ['reason'] }],
  ordinaryEnds: [],
  writesStopResult: true,
  // Measured in a terminal with 0.225.2: a prompt that waits (Enter) is written 0.2 to 0.4 s after the outcome of the turn, its
  // UserPromptSubmit comes before that. One for the queue (Ctrl+Enter) is written instead of the outcome, without a hook.
  queuedPromptMs: 1000,
  holdQuestionMs: 0,
  answeredBy: [],
  // Measured in a terminal with 0.225.2: commands and a file in one message are two dialogs, and the notice of the second comes
  // with it. A sub-agent asks in a session of its own.
  asksInTurn: true,
  // "Factory CLI is asking the user 1 question(s)" (0.225.2).
  asksInDialogs: true,
  // One dialog for all of them: "Yes, allow all".
  countsCalls: /^Factory CLI needs permission to execute (\d+) tool/,
  askTools: ['AskUser', 'ExitSpecMode'],
  // `exec` is marked in the file beside the transcript.
  headless: [],
  // The advice of its documentation for scripts of one's own.
  switchedOffBy: 'DROID_DISABLE_NOTIFICATIONS',
  // Hooks get the first two. Measured in 0.225: other commands get no variable that names droid, only some that keep
  // programs from asking a person.
  environmentMarks: [
    { FACTORY_PROJECT_DIR: true },
    { DROID_PROJECT_DIR: true },
    { GIT_SEQUENCE_EDITOR: 'true', GCM_INTERACTIVE: 'never', PYTHONUNBUFFERED: '1' },
  ],
  repliesThroughApi: true,
  resume: 'droid --resume *',
  marks: [
    { transcript_path: /[\\/]\.factory[\\/](sessions|projects)[\\/]/ },
    { permission_mode: /^(off|spec|auto-(low|medium|high))$/ },
    { tool_execution_count: true },
    { session_duration_ms: true },
  ],
  alsoRuns: [],
  verified: {
    settings: 'measured',
    events: 'measured',
    meaning: 'measured',
    transcript: 'measured',
    headless: 'measured',
    trust: 'measured',
  },
})
