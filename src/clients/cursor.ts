import { defineClient } from './define.ts'

export const cursor = defineClient({
  name: 'cursor',
  title: 'Cursor',
  folder: '.cursor',
  movedBy: {},
  programs: ['cursor-agent', 'cursor'],
  settings: [{ name: 'hooks.json', shape: 'wrapped' }],
  hookFiles: [
    { scope: 'user', path: 'hooks.json', form: 'wrapped' },
    { scope: 'project', path: '.cursor/hooks.json', form: 'wrapped' },
    { scope: 'managed', path: '/etc/cursor/hooks.json', form: 'wrapped' },
    // Only with third-party configurations switched on.
    { scope: 'project', path: '.claude/settings.json', form: 'wrapped' },
  ],
  entries: 'flat',
  // Cursor appends the payload to the command as a here-document.
  isCommandExtended: true,
  isVoidedByOneEntry: true,
  fileHeader: { version: 1 },
  legacy: [],
  // A single unknown event name invalidates the whole file.
  events: ['stop', 'subagentStop', 'sessionEnd', 'beforeSubmitPrompt'],
  timeoutUnit: 's',
  // PowerShell (speakeasy-api/gram#3736).
  windowsShell: 'other',
  killSwitches: [],
  managed: { linux: '/etc/cursor/hooks.json' },
  transcripts: ['projects'],
  // The lines have no times and no results, so nothing certain is known about a turn.
  transcriptFormat: 'none',
  transcriptLateByMs: 0,
  restartNote: 'restart Cursor: when it reads its hooks is not known',

  aliases: {
    sessionStart: 'SessionStart',
    beforeSubmitPrompt: 'UserPromptSubmit',
    preToolUse: 'PreToolUse',
    postToolUse: 'PostToolUse',
    stop: 'Stop',
    subagentStart: 'SubagentStart',
    subagentStop: 'SubagentStop',
    sessionEnd: 'SessionEnd',
  },
  unnamed: [],
  fieldNames: {
    cwd: ['workspace_roots.0'],
    session_id: ['session_id', 'conversation_id'],
    turn_id: ['generation_id'],
  },
  variants: [
    { event: 'stop', where: { status: 'error' }, means: 'StopFailure' },
    { event: 'stop', where: { status: 'aborted' }, means: 'Interrupt' },
  ],
  notices: {},
  repeats: [],
  ordinaryEnds: [],
  holdQuestionMs: 0,
  answeredBy: [],
  askTools: [],
  headless: [],
  // The second is of the agent in the editor (vercel/vercel#15879). CURSOR_TRACE_ID is in a person's terminal too.
  environmentMarks: [{ CURSOR_AGENT: true }, { CURSOR_EXTENSION_HOST_ROLE: 'agent-exec' }],
  marks: [{ cursor_version: true }, { generation_id: true, conversation_id: true }],
  alsoRuns: ['claude'],
  verified: {
    settings: 'source',
    events: 'source',
    meaning: 'unverified',
    transcript: 'documented',
    headless: 'unverified',
    trust: 'unverified',
  },
})
