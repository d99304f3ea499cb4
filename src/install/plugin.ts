import type { Client } from '../clients/define.ts'
import { HookbellError } from '../errors.ts'
import type { Plan } from './edit/plan.ts'

const MARK =
  '// Written by `hookbell init`, which replaces this file. `hookbell uninstall` removes it.'

/**
 * The plug-in for a client that has no hook commands: it passes each event on to the front door and waits for nothing.
 * @param door the command that starts it; undefined for a shared file, which looks for it where it runs
 */
export function pluginText(
  client: Client,
  events: readonly string[],
  door?: readonly string[],
): string {
  const command = door
    ? JSON.stringify([...door, '--client', client.name])
    : `[join(state, 'hookbell-hook'), '--client', '${client.name}', '--shared']`
  const lookup = `import { homedir } from 'node:os'
import { join } from 'node:path'

const base = process.env.XDG_STATE_HOME || join(homedir(), '.local/state')
const state = process.env.HOOKBELL_STATE_DIR || join(base, 'hookbell')
`
  return `${MARK}
import { spawn } from 'node:child_process'
${door ? '\n' : lookup}const [door, ...words] = ${command}
const events = new Set(${JSON.stringify(events)})
// For each session: its parent, which only the event of its creation names; the id of its last prompt, and the last text
// of the agent after that; when it asked for permission; whether a person refused it and the agent has done nothing since;
// when its turn ended.
const sessions = new Map()

export const Hookbell = async ({ directory }) => ({
  'chat.message': async (_, { message, parts }) => {
    try {
      const { id, sessionID } = message
      sessions.set(sessionID, { parent: known(sessionID).parent, prompt: id })
      const written = parts.filter((part) => !part.synthetic)
      const prompt = cut(written.flatMap((part) => part.text ?? []).join('\\n'))
      const properties = written.length > 0 ? { sessionID, prompt } : { sessionID, synthetic: true }
      if (events.has('chat.message')) tell('chat.message', directory, properties)
    } catch {}
  },
  event: async ({ event }) => {
    try {
      const properties = event.properties ?? {}
      const { id, parentID } = properties.info ?? {}
      // A message of the agent has a parent as well.
      if (id && parentID && event.type.startsWith('session.')) known(id).parent = parentID
      if (event.type === 'session.deleted') sessions.delete(id)
      if (event.type === 'message.part.updated') keepText(properties.part)
      if (event.type === 'permission.asked') known(properties.sessionID).askedAt = Date.now()
      if (event.type === 'permission.replied') keepRefusal(properties)
      if (!events.has(event.type) || isRepeat(event.type, properties)) return
      tell(event.type, directory, properties)
    } catch {}
  },
})

function known(id) {
  if (!sessions.has(id)) sessions.set(id, {})
  return sessions.get(id)
}

function keepText({ type, text, synthetic, messageID, sessionID }) {
  const session = known(sessionID)
  if (type === 'step-start') session.isRefused = false
  if (type === 'text' && text && !synthetic && messageID !== session.prompt) session.text = cut(text)
}

// Without a terminal the client refuses by itself, after 20 ms.
function keepRefusal({ sessionID, reply }) {
  const session = known(sessionID)
  if (reply === 'reject' && Date.now() - session.askedAt >= 500) session.isRefused = true
}

// The client repeats the end of a turn, at once and up to a second later. The processes that report both may finish in
// any order, so the repeat could arrive before the error.
function isRepeat(type, { sessionID }) {
  if (type !== 'session.idle' && type !== 'session.error') return false
  const session = known(sessionID)
  const isSoon = Date.now() - session.endedAt < 2000
  session.endedAt = Date.now()
  return isSoon && type === 'session.idle'
}

function cut(text) {
  return text.slice(0, 65536)
}

function tell(type, directory, properties) {
  const { sessionID } = properties
  const { parent, text, isRefused } = known(sessionID)
  const isEnd = type === 'session.idle'
  const added = {
    ...(parent && { parentID: parent }),
    ...(isEnd && text && { last_assistant_message: text }),
    ...(isEnd && isRefused && { refused: true }),
  }
  const body = { hook_event_name: type, cwd: directory, ...added, ...properties }
  const hook = spawn(door, words, {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    windowsHide: true,
  })
  hook.on('error', () => {})
  hook.stdin.on('error', () => {})
  hook.stdin.end(JSON.stringify(body))
  hook.unref()
}
`
}

/** Whether `init` wrote this plug-in. */
export function isOurPlugin(text: string): boolean {
  return text.startsWith(MARK)
}

/** @throws HookbellError E_SETTINGS if the file exists and is not ours */
export function planPlugin(path: string, old: string, text: string): Plan {
  if (old.trim() !== '' && !isOurPlugin(old)) {
    throw new HookbellError('E_SETTINGS', `${path}: this file is not from hookbell`, {
      hint: 'Move it away, then run the command again. Nothing was written',
    })
  }
  if (old === text) return { text, changed: false, spans: [], shape: 'bare' }
  const spans = [{ offset: 0, length: text.length, removed: old }]
  return { text, changed: true, spans, shape: 'bare' }
}
