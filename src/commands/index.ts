import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandDef } from 'citty'
import { print, table } from '../cli/output.ts'
import { usageError } from '../errors.ts'
import { packageRoot } from '../package-root.ts'

/** One line per command: what it is for, and how to load it. */
const registry = {
  init: {
    about: 'Register hookbell with an agent client',
    load: async () => (await import('./init.ts')).initCommand,
  },
  test: {
    about: 'Send one real message to a channel and show its answer',
    load: async () => (await import('./test.ts')).testCommand,
  },
  status: {
    about: 'Show what is waiting, dead or broken',
    load: async () => (await import('./status.ts')).statusCommand,
  },
  log: {
    about: 'Show what became of each event',
    load: async () => (await import('./log.ts')).logCommand,
  },
  dead: {
    about: 'List, retry or drop events that could not be delivered',
    load: async () => (await import('./dead.ts')).deadCommand,
  },
  worker: {
    about: 'Deliver what is waiting, in the foreground',
    load: async () => (await import('./worker.ts')).workerCommand,
  },
  demo: {
    about: 'See it work, without an account and without changing anything',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
  messages: {
    about: 'Read the conversation of a session',
    load: async () => (await import('./messages.ts')).messagesCommand,
  },
  reply: {
    about: 'Post a follow-up to a session',
    load: async () => (await import('./reply.ts')).replyCommand,
  },
  usage: {
    about: 'Show credits, users, sessions, tools and productivity',
    load: async () => (await import('./usage.ts')).usageCommand,
  },
  api: {
    about: 'Call an endpoint of the API, or list them all',
    load: async (words: readonly string[]) => (await import('./api.ts')).apiCommand(words),
  },
  emulator: {
    about: 'Run a local server that behaves like the API',
    load: async () => (await import('./emulator.ts')).emulatorCommand,
  },
} as const

export const commands = {
  /**
   * The words choose among the forms that a command has.
   * @throws HookbellError E_USAGE for a name that is none
   */
  async find(name: string, words: readonly string[]): Promise<CommandDef> {
    if (!Object.hasOwn(registry, name)) {
      throw usageError(
        `unknown command "${name}"`,
        `Commands: ${Object.keys(registry).join(', ')}, hook`,
      )
    }
    return (await registry[name as keyof typeof registry].load(words)) as CommandDef
  },
}

export function showCommands(what: 'help' | 'version' = 'help'): 0 {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'))
  if (what === 'version') {
    print(version)
    return 0
  }
  const rows = Object.entries(registry).map(([name, { about }]) => [`  ${name}`, about])
  print(`hookbell ${version}: rings when your coding agent needs you

Usage: hookbell COMMAND [OPTIONS]

${table([...rows, ['  hook', 'Take one hook event on stdin, in silence (agents call this)']])}

hookbell COMMAND --help shows the options of a command.`)
  return 0
}
