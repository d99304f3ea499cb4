import { defineClient } from './define.ts'

export const codex = defineClient({
  name: 'codex',
  title: 'Codex CLI',
  folder: '.codex',
  movedBy: { folder: 'CODEX_HOME' },
  programs: ['codex'],
  settings: [{ name: 'hooks.json', shape: 'wrapped' }],
  hookFiles: [
    { scope: 'user', path: 'hooks.json', form: 'wrapped' },
    // Also has `notify`, which runs without trust.
    { scope: 'user', path: 'config.toml', form: 'toml' },
    { scope: 'project', path: '.codex/hooks.json', form: 'wrapped' },
    { scope: 'project', path: '.codex/config.toml', form: 'toml' },
  ],
  entries: 'nested',
  isVoidedByOneEntry: true,
  legacy: [],
  events: [
    'PermissionRequest',
    'Stop',
    'SubagentStop',
    'SessionEnd',
    'UserPromptSubmit',
    'Interrupt',
    // Questions in words, which a plan begins with: no PermissionRequest is sent for them (measured with 0.169.0).
    'PreToolUse',
  ],
  matchers: { PreToolUse: '^request_user_input$' },
  timeoutUnit: 's',
  timeoutLimitsMs: { SessionEnd: 3000, Interrupt: 3000 },
  // Each hook runs only after it was approved in /hooks. Trust depends on position and content: an entry before ours,
  // another command or another timeout silently revokes it.
  keepsTimeouts: true,
  // The shell of the session, which is PowerShell (akitaonrails/ai-memory#515).
  windowsShell: 'other',
  // https://developers.openai.com/codex/config-reference
  ownNotifications: [
    { file: 'config.toml', key: 'tui.notifications', off: [false] },
    { file: 'config.toml', key: 'notify', off: [] },
  ],
  killSwitches: [{ key: 'features.hooks', in: 'own', off: false }],
  managed: {},
  transcripts: ['sessions'],
  transcriptFormat: 'codex',
  transcriptLateByMs: 0,
  restartNote: 'restart running sessions, and approve the hooks there: codex skips them until then',

  aliases: { 'agent-turn-complete': 'Stop' },
  unnamed: [],
  fieldNames: {},
  variants: [
    {
      event: 'agent-turn-complete',
      where: { 'input-messages': /^Generate a concise, single-line task tit/ },
      means: 'Internal',
    },
    { event: 'agent-turn-complete', where: { client: false }, means: 'SubagentStop' },
    { event: 'PreToolUse', where: { tool_name: 'request_user_input' }, means: 'PermissionRequest' },
  ],
  notices: {},
  // With both `notify` and hooks, each turn is reported twice.
  repeats: [
    { after: 'Stop', again: 'Stop', withinMs: 10_000, same: ['turnId'] },
    { after: 'SubagentStop', again: 'SubagentStop', withinMs: 10_000, same: ['turnId'] },
  ],
  ordinaryEnds: ['other'],
  // Measured with 0.169.0: a question of a sub-agent has its agent_id and its own transcript, Stop has neither.
  hidesAgents: true,
  // Measured with 0.171.0, for both kinds of sub-agents: a note is written to the transcript, and no turn begins.
  agentsOutliveTurn: true,
  // Measured with 0.171.0, in a terminal: 401, usage limit, context window, /review.
  hidesFailures: true,
  // Measured with 0.169.0: a second session had the TMUX_PANE of the first.
  sharedServer: 'app-server-control/app-server-control.sock',
  // Measured in a terminal with 0.171.0: a prompt that waits (Tab) is written 0.1 to 0.25 s after Stop, its UserPromptSubmit
  // comes before that. One by Enter goes on with the turn, which then has only one Stop.
  queuedPromptMs: 500,
  holdQuestionMs: 0,
  // Measured with 0.169.0 in a terminal: no dialog until the hook has ended.
  takesAnswers: { asks: 'before' },
  answeredBy: [],
  askTools: ['request_user_input'],
  headless: [
    { from: 'payload', name: 'client', value: 'codex_exec', isHeadless: true },
    { from: 'payload', name: 'client', value: 'codex-tui', isHeadless: false },
  ],
  // openai/codex#10096
  environmentMarks: [{ CODEX_THREAD_ID: true }],
  resume: 'codex resume *',
  marks: [
    { transcript_path: /[\\/]\.codex[\\/]sessions[\\/]/ },
    { turn_id: true, model: true },
    { type: 'agent-turn-complete' },
    { hook_event_name: 'Interrupt', client_type: false },
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
