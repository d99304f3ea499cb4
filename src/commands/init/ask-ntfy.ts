import { randomBytes } from 'node:crypto'
import { isLoopback } from '../../text/loopback.ts'
import type { Dialog } from './dialog.ts'

const SERVER = 'https://ntfy.sh'

/** Asks for a topic, or makes one. @returns the options of the channel */
export async function askNtfy(dialog: Dialog): Promise<Record<string, unknown>> {
  const way = await dialog.choose('Topic', {
    new: 'A new one, which nobody can guess',
    own: 'One that I have: its name or its address',
  })
  if (way === 'new') return newTopic(dialog)
  const answer = await dialog.secret('Name or address of the topic', (text) =>
    readTopic(text) ? undefined : 'Such as my-topic or https://ntfy.sh/my-topic',
  )
  const { server, topic } = readTopic(answer) ?? { server: SERVER, topic: answer }
  return { ...(server !== SERVER && { server }), topic: dialog.store('NTFY_TOPIC', topic) }
}

function newTopic(dialog: Dialog) {
  const topic = `hookbell-${randomBytes(12).toString('hex')}`
  // Whoever knows it can read the messages, but without it nobody can subscribe.
  dialog.say(
    `In the ntfy app on your phone, tap + and subscribe to\n${topic}\nor open in a browser\n${SERVER}/${topic}\nWhoever knows this name can read the messages.`,
  )
  return { topic: dialog.store('NTFY_TOPIC', topic) }
}

/** Reads `my-topic`, `https://ntfy.sh/my-topic` and `ntfy.sh/my-topic`. */
export function readTopic(text: string): { server: string; topic: string } | undefined {
  if (/^[-_A-Za-z0-9]{1,64}$/.test(text)) return { server: SERVER, topic: text }
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`
  if (!URL.canParse(address)) return undefined
  const { protocol, origin, hostname, pathname, username, search, hash } = new URL(address)
  const [, folder = '', topic] = /^(.*)\/([-_A-Za-z0-9]{1,64})\/?$/.exec(pathname) ?? []
  if (topic === undefined || username + search + hash !== '') return undefined
  if (protocol !== 'https:' && !isLoopback(hostname)) return undefined
  return { server: `${origin}${folder}`, topic }
}
