import { defineClient } from './define.ts'

export const qwen = defineClient({
  name: 'qwen',
  title: 'Qwen Code',
  folder: '.qwen',
  movedBy: { folder: 'QWEN_HOME' },
  beganIn: ['CLAUDE_PROJECT_DIR'],
  programs: ['qwen'],
  settings: [{ name: 'settings.json', shape: 'wrapped' }],
  // With folder trust switched on, hooks run in trusted folders only.
  hookFiles: [
    { scope: 'user', path: 'settings.json', form: 'wrapped' },
    { scope: 'project', path: '.qwen/settings.json', form: 'wrapped' },
  ],
  entries: 'nested',
  legacy: [],
  events: [
    'Notification',
    'Stop',
    'SubagentStop',
    'SessionEnd',
    'StopFailure',
    'UserPromptSubmit',
    'PermissionRequest',
  ],
  // 0.24.4 reads values below 1000 as seconds (hook-timeout.ts). But npm installs 0.15.10 for Node.js 20, which reads all
  // as milliseconds: measured, it ended a hook with the timeout 10 after 10 ms.
  timeoutUnit: 'ms',
  // cmd.exe, or Git Bash where it was started in one, if the entry names none: getShellConfigForHook in 0.24.4.
  windowsShell: 'other',
  asksForPowerShell: true,
  killSwitches: [{ key: 'disableAllHooks', in: 'own' }],
  managed: {},
  transcripts: ['projects'],
  transcriptFormat: 'qwen',
  // Measured in a terminal: the last answer was written up to 0.8 s after the hook started.
  transcriptLateByMs: 1000,
  restartNote: 'restart running sessions: Qwen Code reads its hooks when it starts',

  aliases: {},
  unnamed: [],
  fieldNames: {},
  // The prompt hook also runs after each tool result, without a prompt.
  variants: [
    { event: 'UserPromptSubmit', where: { prompt: '' }, means: 'PostToolUse' },
    {
      event: 'UserPromptSubmit',
      where: { prompt: false, submitted_prompt: false },
      means: 'PostToolUse',
    },
    // Measured with 0.24.4: also sent for a sub-agent in the background, which most are, before the client denies the tool
    // by itself. If a person is asked, the Notification follows.
    { event: 'PermissionRequest', where: { agent_id: true }, means: 'Internal' },
  ],
  // Sent at every start; nothing for a person to do.
  notices: { auth_success: 'other' },
  repeats: [
    // At once, but up to 5.5 s later on a busy machine.
    {
      after: 'Stop',
      again: 'Notification',
      notificationType: 'idle_prompt',
      withinMs: 15_000,
      same: [],
    },
    {
      after: 'StopFailure',
      again: 'Notification',
      notificationType: 'idle_prompt',
      withinMs: 15_000,
      same: [],
    },
    {
      after: 'PermissionRequest',
      again: 'Notification',
      notificationType: 'permission_prompt',
      withinMs: 15_000,
      same: [],
    },
  ],
  ordinaryEnds: [],
  // Measured in a terminal with 0.24.4: a prompt that waits (Ctrl+Q) is written 0.8 to 3.2 s after Stop, on a slow machine; an
  // idle notice comes before it. One by Enter goes on with the turn, which then has only one Stop.
  queuedPromptMs: 2500,
  holdQuestionMs: 0,
  // Measured with 0.24.4 in a terminal: no dialog until the hook has ended.
  takesAnswers: { asks: 'before' },
  // After Yes the tool starts at once; after Esc the client is idle.
  answeredBy: ['PreToolUse', 'idle_prompt'],
  askTools: ['ask_user_question', 'exit_plan_mode'],
  headless: [{ from: 'env', name: 'QWEN_CODE_MESSAGING_SOCKET', value: true, isHeadless: false }],
  environmentMarks: [{ QWEN_CODE: true }],
  resume: 'qwen --resume *',
  marks: [
    { transcript_path: /[\\/]\.qwen[\\/]projects[\\/]/ },
    { timestamp: true, permission_mode: true, hook_event_name: /^[A-Z]/, prompt_id: true },
    { crons: true },
  ],
  alsoRuns: [],
  verified: {
    settings: 'measured',
    events: 'measured',
    meaning: 'measured',
    transcript: 'measured',
    headless: 'measured',
    trust: 'documented',
  },
})
