import type { CommandDef } from 'citty'
import { NEEDS_KEY } from '../cli/key-help.ts'
import { type HookbellError, usageError } from '../errors.ts'
import { closest, didYouMean } from '../text/suggest.ts'

/** The groups of the first page of help, in their order. */
const groups = {
  daily: 'Every day',
  setup: 'Set up',
  wrong: 'If something is wrong',
  platform: "The platform's API",
} as const
type Group = keyof typeof groups

interface Entry {
  /** What the command is for, as the list of commands and its own help show it. */
  description: string
  /** The words after the name select the form of a command that has several. */
  load: (words: readonly string[]) => Promise<object>
  /** Where the first page of help names it; a command without a group is on the page of all. */
  group?: Group
  /** Whether it calls the API, so that its help says where the key comes from. */
  needsKey?: true
}

/** One entry per command. Adding a command adds a file and an entry here. */
const registry: Readonly<Record<string, Entry>> = {
  init: {
    group: 'setup',
    description: 'Register hookbell with an agent client',
    load: async () => (await import('./init.ts')).initCommand,
  },
  clients: {
    group: 'setup',
    description: 'Show installed agent clients, and where hookbell is registered',
    load: async () => (await import('./clients.ts')).clientsCommand,
  },
  doctor: {
    group: 'wrong',
    description: 'Find out why no notification arrives; --fix makes safe repairs',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  uninstall: {
    group: 'setup',
    description: 'Remove the hooks from all settings',
    load: async () => (await import('./uninstall.ts')).uninstallCommand,
  },
  test: {
    group: 'setup',
    description: 'Send one real message to a channel and show its answer',
    load: async () => (await import('./test.ts')).testCommand,
  },
  notify: {
    description: 'Send a message of your own, from a script or by an agent',
    load: async () => (await import('./notify.ts')).notifyCommand,
  },
  preview: {
    group: 'setup',
    description: 'Show what a channel would be sent, without sending it',
    load: async () => (await import('./preview.ts')).previewCommand,
  },
  answer: {
    group: 'daily',
    description: 'Show the questions of agents that can be answered from here, and answer them',
    load: async () => (await import('./answer.ts')).answerCommand,
  },
  away: {
    group: 'daily',
    description: 'Let Codex and Qwen Code wait for an answer from elsewhere while you are away',
    load: async () => (await import('./away.ts')).awayCommand,
  },
  back: {
    description: 'End hookbell away: questions come to the screen at once',
    load: async () => (await import('./back.ts')).backCommand,
  },
  sessions: {
    group: 'daily',
    description: 'Show what each session does, who waits for you, and for how long',
    load: async () => (await import('./sessions.ts')).sessionsCommand,
  },
  status: {
    group: 'daily',
    description: 'Show what is waiting, dead or broken',
    load: async () => (await import('./status.ts')).statusCommand,
  },
  log: {
    group: 'daily',
    description: 'Show what happened to each event',
    load: async () => (await import('./log.ts')).logCommand,
  },
  why: {
    group: 'daily',
    description: 'Explain why you were notified of an event, or not',
    load: async () => (await import('./why.ts')).whyCommand,
  },
  simulate: {
    description: 'Judge past events with another configuration, and show the difference',
    load: async () => (await import('./simulate.ts')).simulateCommand,
  },
  report: {
    description: 'Show how long agents waited for a person, and what was sent',
    load: async () => (await import('./report.ts')).reportCommand,
  },
  digest: {
    group: 'daily',
    description: 'Summarize what is done, what failed, and what still waits for you',
    load: async () => (await import('./digest.ts')).digestCommand,
  },
  config: {
    group: 'setup',
    description: 'Show, edit or check the configuration',
    load: async () => (await import('./config.ts')).configCommand,
  },
  secrets: {
    group: 'setup',
    description: 'Set, list or remove the secrets of channels; never shows a value',
    load: async () => (await import('./secrets.ts')).secretsCommand,
  },
  trust: {
    description: 'Trust the .hookbell.json of a project',
    load: async () => (await import('./trust.ts')).trustCommand,
  },
  mute: {
    group: 'daily',
    description: 'Silence everything, or one session, project or kind, for a while',
    load: async () => (await import('./mute.ts')).muteCommand,
  },
  unmute: {
    group: 'daily',
    description: 'End all mutes, or only one',
    load: async () => (await import('./unmute.ts')).unmuteCommand,
  },
  dead: {
    group: 'wrong',
    description: 'List, retry or drop events that could not be delivered',
    load: async () => (await import('./dead.ts')).deadCommand,
  },
  flush: {
    group: 'wrong',
    description: 'Retry failed deliveries now',
    load: async () => (await import('./flush.ts')).flushCommand,
  },
  hold: {
    group: 'wrong',
    description: 'Stop sending; events are still accepted and wait',
    load: async () => (await import('./hold.ts')).holdCommand,
  },
  resume: {
    group: 'wrong',
    description: 'Resume sending after hookbell hold',
    load: async () => (await import('./resume.ts')).resumeCommand,
  },
  purge: {
    description: 'Remove everything that waits, undelivered',
    load: async () => (await import('./purge.ts')).purgeCommand,
  },
  drain: {
    description:
      'Deliver everything that waits before this machine ends; exit code 0 if nothing is left',
    load: async () => (await import('./drain.ts')).drainCommand,
  },
  hub: {
    description: 'Run a hub for many machines, or show what waits in it',
    load: async () => (await import('./hub.ts')).hubCommand,
  },
  worker: {
    description: 'Deliver what is waiting, in the foreground',
    load: async () => (await import('./worker.ts')).workerCommand,
  },
  demo: {
    description: 'Show the whole path in a demo, without an account and without changing anything',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
  messages: {
    group: 'platform',
    description: 'Read the conversation of a session',
    load: async () => (await import('./messages.ts')).messagesCommand,
    needsKey: true,
  },
  reply: {
    group: 'platform',
    description: 'Post a follow-up to a session',
    load: async () => (await import('./reply.ts')).replyCommand,
    needsKey: true,
  },
  usage: {
    group: 'platform',
    description: 'Show credits, users, sessions, tools and productivity',
    load: async () => (await import('./usage.ts')).usageCommand,
    needsKey: true,
  },
  api: {
    group: 'platform',
    description: 'Call an endpoint of the API, or list them all',
    load: async (words) => (await import('./api.ts')).apiCommand(words),
  },
  emulator: {
    description: 'Run a local server that behaves like the API',
    load: async () => (await import('./emulator.ts')).emulatorCommand,
  },
  completion: {
    description: 'Print a completion script for your shell',
    load: async () => (await import('./completion.ts')).completionCommand(loadAll),
  },
  hook: {
    description: 'Accept one hook event on stdin, without output (called by agents)',
    // bin/hookbell handles it before any of this is loaded.
    load: async () => ({}),
  },
}

/** Name and description of each command, in the order of the help. */
export const descriptions = Object.entries(registry).map(
  ([name, { description }]) => [name, description] as const,
)

/** The commands of each group, by the name of the group. */
export const groupedCommands = Object.entries(groups).map(([group, title]) => {
  const names = Object.keys(registry).filter((name) => registry[name]?.group === group)
  return [title, names] as const
})

/**
 * Loads the command that is asked for, and no other.
 * @throws HookbellError E_USAGE for an unknown name
 */
export async function findCommand(name: string, words: readonly string[]): Promise<CommandDef> {
  const entry = Object.hasOwn(registry, name) ? registry[name] : undefined
  if (!entry) throw unknownCommand(name)
  const command = (await entry.load(words)) as CommandDef
  const description = entry.needsKey ? `${entry.description}\n${NEEDS_KEY}` : entry.description
  // The commands of `api` describe themselves, and that of a single endpoint has a name of its own.
  return command.meta ? command : { ...command, meta: { name, description } }
}

/** Loads all commands, for the completion scripts and the page of commands. */
export function loadAll(): Promise<{ name: string; description: string; command: CommandDef }[]> {
  return Promise.all(
    descriptions
      .filter(([name]) => name !== 'hook')
      .map(async ([name, description]) => {
        const command = await findCommand(name, [])
        return { name, description, command }
      }),
  )
}

function unknownCommand(name: string): HookbellError {
  if (name.startsWith('-')) return unknownOption(name)
  const names = descriptions.map(([one]) => one)
  return usageError(`unknown command "${name}"`, didYouMean(name, names, 'Commands'))
}

function unknownOption(name: string): HookbellError {
  const meant = closest(name, ['--version', '--help', '--all', '-v', '-h'])
  const hint = meant
    ? `Did you mean "${meant}"?`
    : 'Options come after the command; see: hookbell --help'
  return usageError(`unknown option "${name}"`, hint)
}
