import type { Client } from '../clients/define.ts'
import { HookbellError } from '../errors.ts'
import type { Plan } from './plan.ts'

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
// Which session started which, as told when it was created: its end does not say so.
const parents = new Map()
// Of each session: the id of its last prompt, and the last text of the agent after it.
const prompts = new Map()
const texts = new Map()

export const Hookbell = async ({ directory }) => ({
  'chat.message': async (_, { message, parts }) => {
    try {
      const { id, sessionID } = message
      prompts.set(sessionID, id)
      texts.delete(sessionID)
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
      if (id && parentID) parents.set(id, parentID)
      if (event.type === 'session.deleted') for (const map of [parents, prompts, texts]) map.delete(id)
      if (event.type === 'message.part.updated') keepText(properties.part)
      if (events.has(event.type)) tell(event.type, directory, properties)
    } catch {}
  },
})

function keepText({ type, text, messageID, sessionID }) {
  if (type !== 'text' || !text || messageID === prompts.get(sessionID)) return
  texts.set(sessionID, cut(text))
}

function cut(text) {
  return text.slice(0, 65536)
}

function tell(type, directory, properties) {
  const { sessionID } = properties
  const parentID = parents.get(sessionID)
  const text = type === 'session.idle' && texts.get(sessionID)
  const added = { ...(parentID && { parentID }), ...(text && { last_assistant_message: text }) }
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
