import { defineClient } from './define.ts'

export const opencode = defineClient({
  name: 'opencode',
  title: 'opencode',
  folder: '.opencode',
  userFolder: '.config/opencode',
  movedBy: { folder: 'OPENCODE_CONFIG_DIR' },
  programs: ['opencode'],
  settings: [{ name: 'plugin/hookbell.js', shape: 'bare' }],
  hookFiles: [
    { scope: 'user', path: 'plugin/*.js', form: 'plugin' },
    { scope: 'project', path: '.opencode/plugin/*.js', form: 'plugin' },
  ],
  entries: 'plugin',
  legacy: [],
  events: [
    'session.created',
    'session.idle',
    'session.error',
    'permission.asked',
    // The name of permission.asked before 1.1.
    'permission.updated',
    'permission.replied',
    // The tool `question`, by which the agent asks; it needs no permission. 1.18.33 has them in EventQuestionAsked and
    // beside it (@opencode-ai/sdk, types.gen.d.ts). They also come for a question of a sub-agent.
    'question.asked',
    'question.replied',
    'question.rejected',
    // A hook of plug-ins, not an event: `message.updated` is sent three times for one prompt, once after the turn.
    'chat.message',
  ],
  timeoutUnit: 'ms',
  windowsShell: 'other',
  killSwitches: [],
  managed: {},
  // The history is in a database.
  transcripts: [],
  transcriptFormat: 'none',
  transcriptLateByMs: 0,
  restartNote: 'restart running sessions: opencode loads plug-ins when it starts',

  aliases: {
    'session.created': 'SessionStart',
    'session.idle': 'Stop',
    'session.error': 'StopFailure',
    'permission.asked': 'PermissionRequest',
    'permission.updated': 'PermissionRequest',
    'permission.replied': 'PermissionReplied',
    'question.asked': 'PermissionRequest',
    'question.replied': 'PermissionReplied',
    // Dismissed with Esc: the turn ends within a second.
    'question.rejected': 'Interrupt',
    'chat.message': 'UserPromptSubmit',
  },
  unnamed: [],
  fieldNames: {
    session_id: ['sessionID', 'info.id'],
    // Our plug-in adds it to each event: the client names it only when the session is created.
    parent_session_id: ['parentID', 'info.parentID'],
    tool_name: ['permission', 'type'],
    tool_input: ['metadata'],
    // An answer names the request, not the call of the tool. A whole event also has an id of its own.
    tool_use_id: ['requestID', 'permissionID', 'properties.id', 'id'],
  },
  variants: [
    // Our plug-in adds this if a person refused a tool and the agent did nothing since. Measured with 1.18.33: the end comes
    // 0.2 s later, without an error. After a refusal with words the agent goes on.
    { event: 'session.idle', where: { refused: true }, means: 'Interrupt' },
    // Our plug-in adds this to a prompt that no person wrote, such as the result of a background task.
    { event: 'chat.message', where: { synthetic: true }, means: 'TurnStart' },
    { event: 'session.error', where: { 'error.name': 'MessageAbortedError' }, means: 'Interrupt' },
  ],
  notices: {},
  repeats: [
    { after: 'StopFailure', again: 'Stop', withinMs: 2000, same: [] },
    { after: 'Interrupt', again: 'Stop', withinMs: 2000, same: [] },
    { after: 'Stop', again: 'Stop', withinMs: 1000, same: [] },
  ],
  ordinaryEnds: [],
  // A run without a terminal answers every question with "no" after 20 ms.
  holdQuestionMs: 1000,
  answeredBy: [],
  askTools: ['question'],
  headless: [],
  // Some versions from 1.17 on set nothing for commands (anomalyco/opencode#32689).
  environmentMarks: [{ OPENCODE: true }],
  resume: 'opencode --session *',
  marks: [
    { hook_event_name: /^(session|permission|question)\.[a-z]+$/ },
    { hook_event_name: 'chat.message' },
    { type: /^(session|permission|question)\.[a-z]+$/ },
  ],
  alsoRuns: [],
  verified: {
    settings: 'measured',
    events: 'measured',
    meaning: 'measured',
    transcript: 'unverified',
    headless: 'unverified',
    trust: 'measured',
  },
})
