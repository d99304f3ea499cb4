import { defineClient } from './define.ts'

export const gemini = defineClient({
  name: 'gemini',
  title: 'Gemini CLI',
  folder: '.gemini',
  movedBy: { home: 'GEMINI_CLI_HOME' },
  beganIn: ['CLAUDE_PROJECT_DIR'],
  programs: ['gemini'],
  settings: [{ name: 'settings.json', shape: 'wrapped' }],
  hookFiles: [
    { scope: 'user', path: 'settings.json', form: 'wrapped' },
    // Project hooks run in trusted folders only, after they were listed once.
    { scope: 'project', path: '.gemini/settings.json', form: 'wrapped' },
  ],
  entries: 'nested',
  legacy: [],
  events: [
    'Notification',
    'AfterAgent',
    'SessionEnd',
    'BeforeAgent',
    // Questions in words: their Notification has only the title "Ask User" (measured with 0.61.0).
    'BeforeTool',
  ],
  matchers: { BeforeTool: '^ask_user$' },
  timeoutUnit: 'ms',
  // PowerShell, getShellConfiguration in 0.61.0.
  windowsShell: 'other',
  killSwitches: [{ key: 'hooksConfig.enabled', in: 'own', off: false }],
  managed: {},
  transcripts: ['tmp'],
  transcriptFormat: 'gemini',
  // 0.61.0, fireAfterAgentHookSafe in core/client.js.
  joinsAnswers: { none: '[no response text]' },
  transcriptLateByMs: 0,
  restartNote: 'restart running sessions: Gemini CLI reads its hooks when it starts',

  aliases: {
    BeforeAgent: 'UserPromptSubmit',
    AfterAgent: 'Stop',
    BeforeTool: 'PreToolUse',
    AfterTool: 'PostToolUse',
  },
  unnamed: [],
  fieldNames: {},
  // Some versions fire it again after the result of a tool (google-gemini/gemini-cli#18514).
  variants: [
    { event: 'BeforeAgent', where: { prompt: '' }, means: 'PostToolUse' },
    { event: 'BeforeTool', where: { tool_name: 'ask_user' }, means: 'PermissionRequest' },
  ],
  notices: { ToolPermission: 'permission' },
  repeats: [
    // In a terminal the end of a session is reported three times, 40 ms apart.
    { after: 'SessionEnd', again: 'SessionEnd', withinMs: 1000, same: ['reason'] },
    { after: 'PermissionRequest', again: 'Notification', withinMs: 15_000, same: ['tool'] },
  ],
  ordinaryEnds: [],
  // Measured in a terminal with 0.61.0: a prompt that waits is written 0.3 to 0.8 s after AfterAgent.
  queuedPromptMs: 1500,
  holdQuestionMs: 0,
  answeredBy: [],
  askTools: ['ask_user', 'exit_plan_mode'],
  // No reliable mark is known that distinguishes a one-shot run from a terminal session.
  headless: [],
  environmentMarks: [{ GEMINI_CLI: true }],
  resume: 'gemini --resume *',
  marks: [
    { transcript_path: /[\\/]\.gemini[\\/]tmp[\\/]/ },
    { hook_event_name: /^(Before|After)(Agent|Tool|Model)/ },
    { notification_type: 'ToolPermission' },
  ],
  alsoRuns: [],
  verified: {
    settings: 'measured',
    events: 'measured',
    meaning: 'measured',
    transcript: 'measured',
    headless: 'unverified',
    trust: 'measured',
  },
})
