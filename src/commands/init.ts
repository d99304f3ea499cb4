import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineCommand } from 'citty'
import { clientNames } from '../clients/index.ts'
import { CurrentConfig } from '../config/current.ts'
import { shellEnvironment } from '../config/environment.ts'
import { configDir, stateDir } from '../config/paths.ts'
import { refuseFoldersAtRisk } from '../config/trust.ts'
import { HookbellError, usageError } from '../errors.ts'
import { applyPlan } from '../install/apply.ts'
import { renderDiff } from '../install/diff.ts'
import { readSettings } from '../install/file.ts'
import { hookCommand, hookEntry, sharedHookCommand } from '../install/hook-command.ts'
import { settingsNotes } from '../install/notes.ts'
import { planInstall } from '../install/plan.ts'
import { findTarget, type Target, type TargetOptions } from '../install/target.ts'
import { escapeControls, showPath } from '../text/clean.ts'

/** A running session that writes its old settings back does so within a moment. */
const SETTLE_MS = 2000

export const initCommand = defineCommand({
  meta: { name: 'init', description: 'Register hookbell with an agent client' },
  args: {
    client: {
      type: 'string',
      description: 'The agent client; needed if several are found',
      valueHint: clientNames.join('|'),
    },
    user: { type: 'boolean', description: 'In your own settings (default)' },
    project: { type: 'boolean', description: "In this project's settings, for all who share it" },
    'dry-run': { type: 'boolean', description: 'Show the change, write nothing' },
    yes: { type: 'boolean', description: 'Do not ask' },
    json: { type: 'boolean', description: 'Print one JSON object; needs --yes or --dry-run' },
  },
  async run({ args }) {
    const { installFrontDoor } = await import('../install/front-door.ts')
    await runInit(
      { ...args, dryRun: args['dry-run'] },
      {
        env: process.env,
        cwd: process.cwd(),
        isTerminal: Boolean(process.stdin.isTTY && process.stdout.isTTY),
        print: (text) => process.stdout.write(text),
        ask,
        installFrontDoor,
        settle: () => sleep(SETTLE_MS),
      },
    )
  },
})

export interface InitOptions extends TargetOptions {
  dryRun?: boolean | undefined
  yes?: boolean | undefined
  json?: boolean | undefined
}

/** What `init` touches besides the settings file. */
export interface InitWorld {
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  isTerminal: boolean
  print(text: string): void
  ask(question: string): Promise<boolean>
  installFrontDoor(options: { stateDir: string; dryRun?: boolean }): Promise<{ path: string }>
  /** Waits until a running session would have undone the change. */
  settle(): Promise<unknown>
}

/** Names of folders and files come from whoever made the project: on a terminal they must stay text. */
export async function runInit(options: InitOptions, world: InitWorld): Promise<void> {
  const print = (text: string) => world.print(escapeControls(text))
  await register(options, { ...world, print })
}

async function register(options: InitOptions, world: InitWorld): Promise<void> {
  const target = findTarget(options, world)
  if (!options.dryRun && !options.yes && (options.json || !world.isTerminal)) {
    throw usageError(
      'init asks before it writes',
      'Use --yes, or --dry-run to see what it would write',
    )
  }
  const { file, client } = target
  const state = stateDir(world.env)
  refuseFoldersAtRisk(configDir(world.env), state)
  const hook = hookEntry(client, await commandOf(target, state, world))
  const plan = (text: string) => planInstall(text, { ...file, events: client.events, hook })

  const old = readSettings(file.path)
  const preview = plan(old.text)
  const diff = renderDiff(file.path, old.hash && old.text, preview.text)
  const found = { shape: preview.shape, links: old.links }
  const notes = settingsNotes(target, found, { env: world.env })
  const facts = { client: client.name, scope: target.scope, path: file.path, hook, notes }
  if (options.dryRun) {
    const shown = preview.changed ? `${diff}\nNothing was written.\n` : nothingToDo(target)
    const json = { ...facts, changed: preview.changed, written: false, diff }
    return world.print(options.json ? toJson(json) : shown + lines('Note', notes))
  }
  if (preview.changed && !options.yes) {
    world.print(`${diff}\n${lines('Note', notes)}`)
    if (!(await world.ask(`Write ${showPath(file.path)}? [Y/n] `)))
      return world.print('Nothing was written.\n')
  }

  const door = await world.installFrontDoor({ stateDir: state })
  const isShared = target.scope === 'project'
  const { guard } = target
  const applied = applyPlan({ path: file.path, isShared, stateDir: state, plan, guard })
  const more = { door: door.path, notes: options.yes ? notes : [], channel: channelOf(world.env) }
  if (!options.json) world.print(report(target, applied, more))
  if (applied.changed) {
    await world.settle()
    refuseUndone(file.path, plan(readSettings(file.path).text).changed)
  }
  const { changed, backup = null } = applied
  if (options.json) world.print(toJson({ ...facts, changed, written: changed, backup }))
}

async function commandOf(
  { name, scope }: Target,
  state: string,
  world: InitWorld,
): Promise<string> {
  const { path } = await world.installFrontDoor({ stateDir: state, dryRun: true })
  return scope === 'project' ? sharedHookCommand(name) : hookCommand(path, name)
}

function report(
  target: Target,
  applied: ReturnType<typeof applyPlan>,
  { door, notes, channel }: { door: string; notes: string[]; channel: string },
): string {
  const renewed = `Renewed: ${showPath(door)} and what it runs, from this version\n`
  if (!applied.changed) return nothingToDo(target) + renewed + lines('Note', notes)
  const { client, file } = target
  return [
    `Wrote ${showPath(file.path)}: ${client.events.join(', ')}\n`,
    `Backup: ${applied.created ? 'none, the file is new' : showPath(applied.backup ?? '')}\n`,
    lines('Note', notes),
    `Next: ${client.restartNote}\n      hookbell test ${channel}\n`,
  ].join('')
}

/** One that there is. What the configuration names of this shell is stored for the worker. */
function channelOf(env: InitWorld['env']): string {
  const current = new CurrentConfig(configDir(env), stateDir(env))
  current.storeVariables(shellEnvironment(env))
  const { config } = current.get()
  return Object.keys(config.channels)[0] ?? 'desktop'
}

function nothingToDo({ client, file }: Target): string {
  return `Nothing to do: ${showPath(file.path)} has the hooks for ${client.title} already.\n`
}

function refuseUndone(path: string, isUndone: boolean): void {
  if (!isUndone) return
  throw new HookbellError('E_FAILED', `${path}: the hooks were removed again`, {
    hint: 'A running session wrote its old settings back: end all sessions, then run init again',
  })
}

function lines(label: string, texts: readonly string[]): string {
  return texts.map((text) => `${label}: ${showPath(text)}\n`).join('')
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Enter is yes; the end of the input and Ctrl+C are no. */
async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const closed = new Promise<undefined>((resolve) => {
    terminal.once('close', () => resolve(undefined))
  })
  try {
    const answered = terminal.question(question).catch(() => undefined)
    const answer = await Promise.race([answered, closed])
    if (answer === undefined) process.stdout.write('\n')
    return answer !== undefined && /^(y|yes)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}
