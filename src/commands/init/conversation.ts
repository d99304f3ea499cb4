import { existsSync } from 'node:fs'
import * as clack from '@clack/prompts'
import { forgetTyped } from '../../cli/ask.ts'
import type { Client } from '../../clients/define.ts'
import { type ClientName, clientNames, clients } from '../../clients/index.ts'
import type { HookbellError } from '../../errors.ts'
import type { Env } from '../../fs/home.ts'
import { sessionBus } from '../../fs/session-bus.ts'
import type { NewChannels } from '../../install/add-channels.ts'
import { isPresent } from '../../install/presence.ts'
import { showPath } from '../../text/clean.ts'
import { type ChannelOffer, channelOffers } from './channel-offers.ts'
import { answerOf, inFrame, terminalDialog } from './dialog.ts'

/** What a person wants from `init`. */
interface Wishes {
  client: string
  scope: Chosen
  channels: NewChannels
  /** Values for `secrets.env`, by name. */
  secrets: ReadonlyMap<string, string>
}

interface Place {
  env: Env
  /** Channels that the configuration has already. */
  channels: readonly string[]
  /** Why the settings of a client cannot be changed; undefined if they can. */
  refusalOf(client: ClientName, scope: Chosen): HookbellError | undefined
}

/** Whose settings get the hooks. */
export type Chosen = 'user' | 'project' | 'private'

/** Asks on the terminal what to set up. @throws HookbellError E_INTERRUPTED after Ctrl+C or Escape */
export async function converse(place: Place): Promise<Wishes> {
  clack.intro('hookbell tells you when a coding agent needs you')
  const chosen = await askClients(place)
  const scope = await askScope()
  const client = withoutRefused(chosen, place, scope).join(',')
  const types = await askChannels(place)
  const secrets = new Map<string, string>()
  const channels: Record<string, Record<string, unknown>> = {}
  for (const type of types) channels[type] = await askChannel(type, secrets)
  clack.outro('This is what init would write:')
  return { client, scope, channels, secrets }
}

/** Asks whether a test message was seen. Ctrl+C means no. */
export async function askWhetherSeen(channel: string): Promise<boolean> {
  forgetTyped()
  const answer = await clack.confirm({ message: `${channel}: did you see the test message?` })
  return answer === true
}

async function askClients(place: Place): Promise<ClientName[]> {
  const present = clientNames.filter((name) => isPresent(clients[name], place.env))
  const found = withoutRefused(present, place, 'user')
  const label = (name: ClientName) => {
    const { title }: Client = clients[name]
    return found.includes(name) ? title : `${title} (not found here)`
  }
  const chosen = await answerOf(
    clack.multiselect({
      message: 'Which agents? (Space ticks, Enter goes on)',
      options: (found.length > 0 ? found : clientNames).map((name) => {
        return { value: name, label: label(name) }
      }),
      initialValues: [...found],
    }),
  )
  return chosen
}

/**
 * The clients whose settings can be changed. What is wrong with the others is said before any further question, so that no
 * answer is in vain. @throws HookbellError if there is no other
 */
function withoutRefused(
  names: readonly ClientName[],
  { refusalOf }: Place,
  scope: Chosen,
): readonly ClientName[] {
  const refusals = names.map((name) => ({ name, error: refusalOf(name, scope) }))
  const refused = refusals.flatMap(({ name, error }) => (error ? [{ name, error }] : []))
  if (refused.length === names.length && refused[0]) throw refused[0].error
  for (const { name, error } of refused) {
    const { title }: Client = clients[name]
    // At this point nothing could have been written.
    const hint = error.hint?.replace(/\.? ?Nothing was written$/, '') ?? ''
    clack.log.warn(inFrame(`${title} is left out: ${showPath(error.message)}\n${hint}`.trim()))
  }
  return names.filter((name) => !refused.some((one) => one.name === name))
}

async function askScope(): Promise<Chosen> {
  return await answerOf(
    clack.select<Chosen>({
      message: 'For which projects?',
      options: [
        { value: 'user', label: 'All of mine', hint: 'your own settings' },
        { value: 'project', label: 'This one', hint: 'for everybody who works on it' },
        { value: 'private', label: 'This one, for me alone', hint: 'where the agent has that' },
      ],
    }),
  )
}

async function askChannels({ env, channels }: Place): Promise<string[]> {
  const hasDesktop = await mayHaveDesktop(env)
  const types = Object.keys(channelOffers).filter(
    (type) => !channels.includes(type) && (type !== 'desktop' || hasDesktop),
  )
  const usual = hasDesktop ? 'desktop' : 'terminal'
  const there = channels.length > 0 ? ` besides ${channels.join(', ')}` : ''
  return await answerOf(
    clack.multiselect({
      message: `How do you want to be told${there}?`,
      options: types.map((type) => ({ value: type, label: channelOffers[type]?.title ?? type })),
      initialValues: channels.length > 0 ? [] : [usual],
      required: channels.length === 0,
    }),
  )
}

/** Over SSH, and in a container without the session's bus, there is no desktop that the person looks at. */
async function mayHaveDesktop(env: Place['env']): Promise<boolean> {
  if (env.SSH_CONNECTION || env.SSH_TTY) return false
  const isContainer = existsSync('/.dockerenv') || existsSync('/run/.containerenv')
  if (isContainer && 'why' in (await sessionBus(env))) return false
  return process.platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

async function askChannel(type: string, secrets: Map<string, string>) {
  const { title, questions, where, options, ask } = channelOffers[type] as ChannelOffer
  const dialog = terminalDialog(title, secrets)
  if (ask) return { type, ...(await ask(dialog)) }
  if (where !== undefined) dialog.say(`${title}\n${where}`)
  const answers = new Map<string, string>()
  for (const { variable, text, isSecret, placeholder, fault } of questions) {
    const answer = isSecret
      ? dialog.store(variable, await dialog.secret(text, fault))
      : await dialog.text(text, { fault, ...(placeholder !== undefined && { placeholder }) })
    answers.set(variable, answer)
  }
  return { type, ...options((variable) => answers.get(variable) ?? '') }
}
