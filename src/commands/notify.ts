import { defineCommand } from 'citty'
import { asTyped } from '../cli/how-to-call.ts'
import { paint, printJson, say } from '../cli/output.ts'
import { refuseFoldersAtRisk } from '../config/folders-at-risk.ts'
import { configDir, stateDir } from '../config/paths.ts'
import { HookbellError, usageError } from '../errors.ts'
import { sessionEnv } from '../hook/session-env.ts'
import { type StoredEvent, storeEvent } from '../hook/store-event.ts'
import { isOnHold } from '../spool/requests.ts'
import { didYouMean } from '../text/suggest.ts'
import { wakeWorkerOf } from './_worker.ts'
import { readText } from './api/read-input.ts'

/** The events that agents send for these kinds: routes, rules and templates treat a message as they treat theirs. */
const payloads = {
  done: (text: string) => ({ hook_event_name: 'Stop', last_assistant_message: text }),
  failed: (text: string) => ({ hook_event_name: 'StopFailure', error: text }),
  waiting: (text: string) => ({
    hook_event_name: 'Notification',
    notification_type: 'agent_needs_input',
    message: text,
  }),
}

const kinds = Object.keys(payloads)

/** More than any channel shows, and less than the spool keeps of an event. */
const MAX_CHARACTERS = 64 * 1024

export const notifyCommand = defineCommand({
  args: {
    text: { type: 'positional', required: true, description: 'The message, or - for stdin' },
    kind: {
      type: 'string',
      default: 'done',
      description: `What the message reports: ${kinds.join(', ')}`,
      valueHint: 'KIND',
    },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args: { text: source, kind, json } }) {
    const payload = payloadOf(kind)
    const text = source === '-' ? await readText('notify', '-') : source
    if (text.trim() === '') throw usageError('notify: the text is empty')
    const state = stateDir()
    refuseFoldersAtRisk(configDir(), state)
    const { id, root } = store(state, payload(text.slice(0, MAX_CHARACTERS).toWellFormed()))
    // An agent may run this in an environment that a repository has set. Only a worker with its own environment may send.
    wakeWorkerOf(root)
    if (json) return printJson({ id })
    const when = isOnHold(state) ? ', and all is on hold' : ''
    say(asTyped(`${paint('green', 'ok')} accepted${when}; see: hookbell why ${id}`))
  },
})

function payloadOf(kind: string) {
  if (Object.hasOwn(payloads, kind)) return payloads[kind as keyof typeof payloads]
  throw usageError(`notify: no message is of the kind "${kind}"`, didYouMean(kind, kinds))
}

function store(state: string, payload: object): StoredEvent {
  const header = { client: 'script', env: sessionEnv(process.env, process.pid) }
  const event = { ...payload, cwd: process.cwd() }
  const stored = storeEvent(state, header, Buffer.from(JSON.stringify(event)))
  if (stored) return stored
  throw new HookbellError('E_SPOOL', `notify: ${state} cannot take the message`, {
    hint: asTyped('Find out why with: hookbell doctor'),
  })
}
