import { defineClient } from './define.ts'

/** A prompt that no person wrote. */
const OWN_PROMPT =
  /^\s*<(task-notification|agent-message|cross-session-message|teammate-message)\b[^>]*>[\s\S]*<\/\1>\s*$/

/**
 * Measured with 2.1.332, by the protocol of an editor: PermissionRequest and its Notification come, idle_prompt does not.
 * Older versions sent only PreToolUse and Stop (anthropics/claude-code#13203, #84669, #84006).
 */
const UNREPORTED = 'no idle notice, and in older versions (2.1.215) no request for permission'

export const claude = defineClient({
  name: 'claude',
  title: 'Claude Code',
  folder: '.claude',
  movedBy: { folder: 'CLAUDE_CONFIG_DIR' },
  // Measured with 2.1.332: it stays when a command of the agent changes the folder, which `cwd` follows.
  beganIn: ['CLAUDE_PROJECT_DIR'],
  programs: ['claude'],
  settings: [{ name: 'settings.json', shape: 'wrapped' }],
  // In a terminal no hook runs before the folder is trusted.
  hookFiles: [
    { scope: 'user', path: 'settings.json', form: 'wrapped' },
    { scope: 'project', path: '.claude/settings.json', form: 'wrapped' },
    { scope: 'local', path: '.claude/settings.local.json', form: 'wrapped' },
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
    // Sent with the question and with the whole tool call; the Notification comes six seconds later.
    'PermissionRequest',
    // In an editor, some versions announce questions by nothing else.
    'PreToolUse',
  ],
  // Read as a list of names, not as a pattern.
  matchers: { PreToolUse: 'AskUserQuestion|ExitPlanMode' },
  timeoutUnit: 's',
  // Git Bash, where `>NUL` would leave an undeletable file (anthropics/claude-code#23942); without it PowerShell (read in
  // 2.1.330).
  windowsShell: 'other',
  // https://code.claude.com/docs/en/terminal-config; `auto`, the default, depends on the terminal. `/config` writes it to
  // .claude.json, which is beside the folder unless that was moved.
  ownNotifications: ['settings.json', '.claude.json', '../.claude.json'].map((file) => ({
    file,
    key: 'preferredNotifChannel',
    off: ['auto', 'notifications_disabled'],
  })),
  killSwitches: [
    { key: 'disableAllHooks', in: 'own' },
    { key: 'allowManagedHooksOnly', in: 'managed' },
  ],
  managed: {
    linux: '/etc/claude-code/managed-settings.json',
    darwin: '/Library/Application Support/ClaudeCode/managed-settings.json',
  },
  transcripts: ['projects'],
  transcriptFormat: 'claude',
  agentTranscript: 'subagents/agent-*.jsonl',
  // Measured: written at most 122 ms after the hook started (last answer), and 62 ms (tool call of a question).
  transcriptLateByMs: 1000,
  restartNote: 'restart running sessions: Claude Code reads its hooks when it starts',

  aliases: {},
  unnamed: [],
  fieldNames: {},
  variants: [
    // Also fires when the client continues by itself (anthropics/claude-code#16952), and for a message of another agent
    // or session (measured with 2.1.332). The field `source` is only described in 2.1.330, which does not send it yet.
    { event: 'UserPromptSubmit', where: { prompt: OWN_PROMPT }, means: 'TurnStart' },
    {
      event: 'UserPromptSubmit',
      where: { prompt: /^\s*\[SYSTEM NOTIFICATION - NOT USER INPUT\]/ },
      means: 'TurnStart',
    },
    {
      event: 'UserPromptSubmit',
      where: { source: /^(system|loop_wakeup|schedule_wakeup|poll_event)$/ },
      means: 'TurnStart',
    },
    // Before the PermissionRequest of the same call, and in some editors instead of it.
    {
      event: 'PreToolUse',
      where: { tool_name: /^(AskUserQuestion|ExitPlanMode)$/ },
      means: 'PermissionRequest',
    },
    // A copy of the agent that suggests the next prompt, and the like (anthropics/claude-code#87065).
    { event: 'SubagentStop', where: { agent_type: '' }, means: 'Internal' },
  ],
  surfaces: [
    {
      title: 'VS Code',
      env: { CLAUDE_CODE_ENTRYPOINT: 'claude-vscode' },
      unreported: UNREPORTED,
    },
    {
      title: 'the desktop app',
      env: { CLAUDE_CODE_ENTRYPOINT: /^claude-desktop/ },
      unreported: UNREPORTED,
    },
  ],
  // Types and their texts: read in 2.1.332.
  notices: {
    agent_completed: 'other',
    elicitation_url_dialog: 'permission',
    worker_permission_prompt: 'permission',
    // Messages to a person who is away: of the agent, by a tool of its own, and of a plug-in.
    push_notification: 'waiting',
    plugin_notification: 'waiting',
    // After a usage limit is over: the task goes on only when a person says so.
    quota_auto_resume_stale: 'waiting',
    quota_auto_resume_disabled: 'waiting',
  },
  repeats: [
    {
      after: 'PermissionRequest',
      again: 'Notification',
      notificationType: 'permission_prompt',
      withinMs: 15_000,
      same: [],
    },
    // The session that leads a team repeats the question of a member that runs in it.
    {
      after: 'PermissionRequest',
      again: 'Notification',
      notificationType: 'worker_permission_prompt',
      withinMs: 15_000,
      same: [],
    },
    // The same of one that runs in a pane, as a session of its own: the notice names only the tool.
    {
      after: 'PermissionRequest',
      again: 'Notification',
      notificationType: 'worker_permission_prompt',
      withinMs: 15_000,
      same: ['tool'],
      inOther: true,
    },
  ],
  ordinaryEnds: [],
  wakesItself: true,
  // Measured with 2.1.330: 10 to 300 ms after the last of these hooks has ended.
  writesStopResult: true,
  // Measured in a terminal with 2.1.332: a prompt that waits is written 0.3 to 0.9 s after Stop, with the end of the turn or up
  // to 0.2 s after it. Its UserPromptSubmit comes when it is typed, so none comes when its turn begins.
  writesQueue: true,
  queuedPromptMs: 2000,
  holdQuestionMs: 0,
  // Measured with 2.1.332: `claude -p` denies what is not allowed 80 ms after the hook.
  holdUnattendedQuestionMs: 1000,
  // Measured with 2.1.332 in a terminal: the dialog stands 0.1 s after the hook was started, and whichever answer comes first
  // counts. bin/hookbell-wait knows that it is only measured there.
  takesAnswers: { asks: 'beside', isFull: true },
  // The form of an MCP server was filled in or refused, or its page was visited.
  answeredBy: ['elicitation_response', 'elicitation_complete'],
  askTools: ['AskUserQuestion', 'ExitPlanMode'],
  headless: [
    { from: 'env', name: 'CLAUDE_CODE_SESSION_ATTENDED', value: '0', isHeadless: true },
    { from: 'env', name: 'CLAUDE_CODE_SESSION_ATTENDED', value: '1', isHeadless: false },
    { from: 'env', name: 'CLAUDE_CODE_ENTRYPOINT', value: /^sdk-/, isHeadless: true },
    { from: 'env', name: 'CLAUDE_CODE_ENTRYPOINT', value: 'cli', isHeadless: false },
  ],
  environmentMarks: [{ CLAUDECODE: true }, { CLAUDE_PROJECT_DIR: true }],
  resume: 'claude --resume *',
  marks: [
    { transcript_path: /[\\/]\.claude[\\/]projects[\\/]/ },
    { effort: true, prompt_id: true },
    { session_crons: true },
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
