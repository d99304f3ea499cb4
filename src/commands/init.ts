import { setTimeout as sleep } from 'node:timers/promises'
import { defineCommand } from 'citty'
import { askLine } from '../cli/ask.ts'
import { write } from '../cli/output.ts'
import { clientNames } from '../clients/index.ts'
import { homeDir } from '../fs/home.ts'
import { refuseSudoIn } from '../fs/ownership.ts'
import { channelOffers } from './init/channel-offers.ts'
import { type InitWorld, runInit } from './init/run.ts'
import { setupOf } from './init/setup.ts'

/** A running session that writes its old settings back does so within this time. */
const SETTLE_MS = 2000

export const initCommand = defineCommand({
  args: {
    client: {
      type: 'string',
      description: `The agent client, or several with commas: ${clientNames.join(', ')}`,
      valueHint: 'NAME',
    },
    all: { type: 'boolean', description: 'All installed clients' },
    user: { type: 'boolean', description: 'In your own settings (default)' },
    project: {
      type: 'boolean',
      description: "In this project's settings, shared by everyone who works on it",
    },
    private: {
      type: 'boolean',
      description: "In this project's settings for you alone, where the client has such a file",
    },
    events: {
      type: 'string',
      description: "Only these of the client's events, with commas",
      valueHint: 'NAMES',
    },
    channel: {
      type: 'string',
      description: `Also set up a channel, or several with commas: ${Object.keys(channelOffers).join(', ')}`,
      valueHint: 'TYPE',
    },
    answers: {
      type: 'boolean',
      description: 'Questions can also be answered from elsewhere; see hookbell answer',
    },
    'dry-run': { type: 'boolean', description: 'Show the change, write nothing' },
    print: { type: 'boolean', description: 'Print the hooks for the settings, write nothing' },
    yes: { type: 'boolean', description: 'Do not ask' },
    json: { type: 'boolean', description: 'Print one JSON object; needs --yes or --dry-run' },
  },
  async run({ args }) {
    const { installFrontDoor } = await import('../install/front-door.ts')
    const { print, channel, ...flags } = args
    if (!print && !args['dry-run']) refuseSudoIn(homeDir())
    const world: InitWorld = {
      env: process.env,
      cwd: process.cwd(),
      isTerminal: Boolean(process.stdin.isTTY && process.stdout.isTTY),
      print: write,
      ask: askLine,
      installFrontDoor,
      settle: () => sleep(SETTLE_MS),
    }
    const isGuided =
      world.isTerminal && !print && SKIPS_GUIDE.every((name) => args[name] === undefined)
    if (isGuided) return (await import('./init/guided.ts')).runGuided(args.events, world)
    const setup = setupOf(channel)
    const withChannels = channel !== undefined
    const own = { dryRun: args['dry-run'], printOnly: print, withChannels, setup }
    await runInit({ ...flags, ...own }, world)
  },
})

/** With one of these options, the user knows what to set up and is not asked. */
const SKIPS_GUIDE = [
  'client',
  'all',
  'user',
  'project',
  'private',
  'channel',
  'answers',
  'dry-run',
  'yes',
  'json',
] as const
