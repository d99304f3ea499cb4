import { defineClient } from './define.ts'

export const kimi = defineClient({
  name: 'kimi',
  title: 'Kimi Code',
  folder: '.kimi-code',
  movedBy: { folder: 'KIMI_CODE_HOME' },
  programs: ['kimi'],
  settings: [{ name: 'config.toml', shape: 'bare' }],
  // Its plug-ins may have hooks too. No hooks are read from a project.
  hookFiles: [{ scope: 'user', path: 'config.toml', form: 'tables' }],
  entries: 'tables',
  // Measured with 2.1.0: "Ignored invalid config section 'hooks'".
  isVoidedByOneEntry: true,
  legacy: [],
  events: [
    'PermissionRequest',
    'PermissionResult',
    'Stop',
    'StopFailure',
    'Interrupt',
    'SubagentStop',
    'SessionEnd',
    'UserPromptSubmit',
    'TurnStarted',
    // Questions in words: no PermissionRequest is sent for them.
    'PreToolUse',
  ],
  // The turns that begin with a person's prompt, or that of another agent, are left out.
  matchers: { TurnStarted: '^(?!user$|system_trigger$)', PreToolUse: '^AskUserQuestion$' },
  timeoutUnit: 's',
  // The default shell of Node.js (runHook in 2.1.0).
  windowsShell: 'cmd',
  killSwitches: [],
  managed: {},
  transcripts: ['sessions'],
  transcriptFormat: 'kimi',
  // Measured with 2.1.0: no event names it. The folder above is named after the project and a hash.
  sessionTranscript: '?/*/agents/main/wire.jsonl',
  // Measured: what is said is written before the hooks run.
  transcriptLateByMs: 500,
  restartNote: 'restart running sessions: Kimi Code reads its hooks when it starts',

  aliases: { PermissionResult: 'PermissionReplied', TurnStarted: 'TurnStart' },
  unnamed: [],
  fieldNames: {
    prompt: ['prompt.0.text'],
    tool_use_id: ['tool_call_id'],
    agent_type: ['agent_name'],
    last_assistant_message: ['response'],
  },
  variants: [
    { event: 'TurnStarted', where: { origin_kind: 'user' }, means: 'Internal' },
    { event: 'TurnStarted', where: { origin_kind: 'system_trigger' }, means: 'SubagentStart' },
    { event: 'PreToolUse', where: { tool_name: 'AskUserQuestion' }, means: 'PermissionRequest' },
  ],
  notices: {},
  repeats: [],
  ordinaryEnds: [],
  mainAgent: 'main',
  endsForAgents: true,
  // Measured in a terminal with 2.1.0: a prompt that waits is written 0.4 s after Stop.
  queuedPromptMs: 1500,
  // Measured with 2.1.0: `kimi -p` answers questions itself, after 0.4 s.
  holdQuestionMs: 1000,
  answeredBy: [],
  askTools: ['AskUserQuestion', 'ExitPlanMode'],
  headless: [],
  // Measured with 2.1.0: no variable has a name that shows the client.
  environmentMarks: [{ TERM: 'dumb', NO_COLOR: '1', GIT_TERMINAL_PROMPT: '0' }],
  resume: 'kimi --session *',
  marks: [
    { client_type: 'kimi_code_cli' },
    { session_id: /^session_[0-9a-f-]{36}$/, client_type: true },
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
