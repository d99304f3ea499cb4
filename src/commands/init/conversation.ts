import { existsSync } from 'node:fs'
import * as clack from '@clack/prompts'
import { forgetTyped, interrupted } from '../../cli/ask.ts'
import type { Client } from '../../clients/define.ts'
import { type ClientName, clientNames, clients } from '../../clients/index.ts'
import type { Env } from '../../fs/home.ts'
import { sessionBus } from '../../fs/session-bus.ts'
import type { NewChannels } from '../../install/add-channels.ts'
import { isPresent } from '../../install/presence.ts'
import { type ChannelOffer, channelOffers, type Question } from './channel-offers.ts'
import { referenceTo } from './setup.ts'

/** What a person wants from `init`. */
interface Wishes {
  client: string
  project: boolean
  channels: NewChannels
  /** Values for `secrets.env`, by name. */
  secrets: ReadonlyMap<string, string>
}

interface Place {
  env: Env
  /** Channels that the configuration has already. */
  channels: readonly string[]
}

/** Asks on the terminal what to set up. @throws HookbellError E_INTERRUPTED after Ctrl+C or Escape */
export async function converse(place: Place): Promise<Wishes> {
  clack.intro('hookbell tells you when a coding agent needs you')
  const client = await askClients(place.env)
  const project = await askScope()
  const types = await askChannels(place)
  const secrets = new Map<string, string>()
  const channels: Record<string, Record<string, unknown>> = {}
  for (const type of types) channels[type] = await askChannel(type, secrets)
  clack.outro('This is what init would write:')
  return { client, project, channels, secrets }
}

/** Asks whether a test message was seen. Ctrl+C means no. */
export async function askWhetherSeen(channel: string): Promise<boolean> {
  forgetTyped()
  const answer = await clack.confirm({ message: `${channel}: did you see the test message?` })
  return answer === true
}

async function answerOf<Value>(question: Promise<Value>): Promise<Exclude<Value, symbol>> {
  const answer = await question
  if (clack.isCancel(answer)) throw interrupted()
  return answer as Exclude<Value, symbol>
}

async function askClients(env: Place['env']): Promise<string> {
  const found = clientNames.filter((name) => isPresent(clients[name], env))
  const label = (name: ClientName) => {
    const { title }: Client = clients[name]
    return found.includes(name) ? title : `${title} (not found here)`
  }
  const chosen = await answerOf(
    clack.multiselect({
      message: 'Which agents? Space ticks, Enter goes on',
      options: (found.length > 0 ? found : clientNames).map((name) => {
        return { value: name as string, label: label(name) }
      }),
      initialValues: found as string[],
    }),
  )
  return chosen.join(',')
}

async function askScope(): Promise<boolean> {
  const scope = await answerOf(
    clack.select({
      message: 'For which projects?',
      options: [
        { value: 'user', label: 'All of mine', hint: 'your own settings' },
        { value: 'project', label: 'This one', hint: 'for everybody who works on it' },
      ],
    }),
  )
  return scope === 'project'
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
  const { title, questions, options } = channelOffers[type] as ChannelOffer
  const answers = new Map<string, string>()
  for (const question of questions) {
    const answer = await answerOf(ask(question, title))
    const { variable, isSecret } = question
    if (isSecret) secrets.set(variable, answer)
    answers.set(variable, isSecret ? referenceTo(variable) : answer)
  }
  return { type, ...options((variable) => answers.get(variable) ?? '') }
}

function ask({ text, isSecret, placeholder, fault }: Question, title: string) {
  const message = `${title}: ${text}`
  const validate = (answer: string | undefined) => fault(answer ?? '')
  // A wrong text that nobody can see would stay before the next one.
  if (isSecret) return clack.password({ message, mask: '', validate, clearOnError: true })
  return clack.text({ message, validate, ...(placeholder !== undefined && { placeholder }) })
}
