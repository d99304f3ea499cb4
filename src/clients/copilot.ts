import { defineClient } from './define.ts'

export const copilot = defineClient({
  name: 'copilot',
  title: 'GitHub Copilot CLI',
  folder: '.github',
  userFolder: '.copilot',
  movedBy: { folder: 'COPILOT_HOME' },
  beganIn: ['CLAUDE_PROJECT_DIR'],
  programs: ['copilot'],
  // Every file in the folder is read, so our own file needs no merging.
  settings: [{ name: 'hooks/hookbell.json', shape: 'wrapped' }],
  hookFiles: [
    { scope: 'user', path: 'hooks/*.json', form: 'wrapped', switches: 'itself' },
    // Its help says that a switch in this file works, but the hooks of other files ran.
    { scope: 'user', path: 'settings.json', form: 'wrapped', switches: 'nothing' },
    // Hooks of a repository run in trusted folders only.
    { scope: 'project', path: '.github/hooks/*.json', form: 'wrapped', switches: 'itself' },
    { scope: 'project', path: '.github/copilot/settings.json', form: 'wrapped' },
    { scope: 'local', path: '.github/copilot/settings.local.json', form: 'wrapped' },
    { scope: 'project', path: '.claude/settings.json', form: 'wrapped' },
    { scope: 'local', path: '.claude/settings.local.json', form: 'wrapped' },
  ],
  entries: 'nested',
  fileHeader: { version: 1 },
  legacy: [],
  // With PascalCase names, payloads name their event. PermissionRequest is left out: it also fires
  // when nobody is asked. PreToolUse is left out too: any failure of its hook denies the tool.
  events: [
    'Notification',
    'Stop',
    'SubagentStop',
    'SessionEnd',
    'UserPromptSubmit',
    'ErrorOccurred',
  ],
  timeoutUnit: 's',
  // PowerShell (github/copilot-cli#4001).
  windowsShell: 'other',
  killSwitches: [{ key: 'disableAllHooks', in: 'own' }],
  managed: {},
  transcripts: ['session-state'],
  transcriptFormat: 'copilot',
  // Measured with 1.0.102: a Notification names no transcript.
  sessionTranscript: '*/events.jsonl',
  // Measured: written 120 ms after the hook started (tool call of a question), and 97 ms (last answer).
  transcriptLateByMs: 1000,
  restartNote: 'restart running sessions: Copilot CLI reads its hooks when it starts',

  aliases: {
    sessionStart: 'SessionStart',
    userPromptSubmitted: 'UserPromptSubmit',
    notification: 'Notification',
    permissionRequest: 'PermissionRequest',
    agentStop: 'Stop',
    subagentStart: 'SubagentStart',
    subagentStop: 'SubagentStop',
    errorOccurred: 'StopFailure',
    ErrorOccurred: 'StopFailure',
    sessionEnd: 'SessionEnd',
    preToolUse: 'PreToolUse',
    postToolUse: 'PostToolUse',
  },
  unnamed: [
    { where: { notificationType: true }, event: 'notification' },
    { where: { stopReason: true, agentName: true }, event: 'subagentStop' },
    { where: { stopReason: true }, event: 'agentStop' },
    {
      where: { sessionId: true, 'error.message': true },
      event: 'errorOccurred',
    },
    { where: { sessionId: true, toolName: true }, event: 'preToolUse' },
    {
      where: { sessionId: true, prompt: true },
      event: 'userPromptSubmitted',
    },
    { where: { sessionId: true, reason: true }, event: 'sessionEnd' },
    { where: { sessionId: true, source: true }, event: 'sessionStart' },
  ],
  fieldNames: {
    reason: ['reason', 'stopReason'],
    // A sub-agent has a session of its own, whose events name the agent that started it.
    parent_session_id: ['parentSessionId', 'parentAgentId', 'parent_agent_id'],
    agent_type: ['agent_type', 'agent_name', 'agentName'],
  },
  variants: [
    { event: 'permissionRequest', where: {}, means: 'PreToolUse' },
    { event: 'PermissionRequest', where: {}, means: 'PreToolUse' },
  ],
  notices: {
    shell_completed: 'other',
    shell_detached_completed: 'other',
    agent_completed: 'subagent-done',
    agent_idle: 'other',
  },
  repeats: [],
  ordinaryEnds: [],
  // Measured with 1.0.102: six times in a minute for one turn. "recoverable" is true also for the last one.
  retriesErrors: true,
  // Measured in a terminal with 1.0.102: a prompt that waits is written 0.2 to 0.5 s after Stop, its UserPromptSubmit comes before.
  queuedPromptMs: 1000,
  // Measured with 1.0.102: `copilot -p` denies what is not allowed at once, and only the end of the session shows that
  // it was a one-shot run.
  holdQuestionMs: 1000,
  answeredBy: [],
  // Measured with 1.0.102: `elicitation_dialog` with the message "Information requested".
  asksInDialogs: true,
  askTools: ['ask_user', 'exit_plan_mode'],
  // Known only at the end of the session.
  headless: [
    { from: 'payload', name: 'reason', value: 'complete', isHeadless: true },
    { from: 'payload', name: 'reason', value: 'user_exit', isHeadless: false },
  ],
  // Not documented; seen in 1.0.63 (dynatrace-oss/dtctl#288).
  environmentMarks: [{ COPILOT_CLI: true }],
  resume: 'copilot --resume *',
  marks: [
    { transcript_path: /[\\/]\.copilot[\\/]session-state[\\/]/ },
    { transcriptPath: /[\\/]\.copilot[\\/]session-state[\\/]/ },
    { parentAgentId: true },
    { parent_agent_id: true },
    // A Notification has only some of its names in snake_case, and a prompt names no transcript.
    { hook_event_name: 'Notification', sessionId: true, timestamp: true },
    { hook_event_name: 'UserPromptSubmit', timestamp: true, transcript_path: false },
    // A camelCase payload does not name its event.
    { hook_event_name: false, hookEventName: false, sessionId: true, timestamp: true },
    { hook_event_name: /^(agentStop|userPromptSubmitted|errorOccurred|ErrorOccurred)$/ },
  ],
  alsoRuns: ['claude'],
  verified: {
    settings: 'measured',
    events: 'measured',
    meaning: 'measured',
    transcript: 'measured',
    headless: 'measured',
    trust: 'measured',
  },
})
