import { setTimeout as sleep } from 'node:timers/promises'
import { defineCommand } from 'citty'
import { askYesNo } from '../cli/ask.ts'
import { write } from '../cli/output.ts'
import { clientNames } from '../clients/index.ts'
import { CurrentConfig } from '../config/current.ts'
import { shellEnvironment } from '../config/environment.ts'
import { configDir, stateDir } from '../config/paths.ts'
import { refuseFoldersAtRisk } from '../config/trust.ts'
import { HookbellError, usageError } from '../errors.ts'
import { applyPlan } from '../install/apply.ts'
import { renderDiff } from '../install/diff.ts'
import { readSettings } from '../install/file.ts'
import { settingsNotes } from '../install/notes.ts'
import { rememberPlace } from '../install/places.ts'
import { planTarget } from '../install/plan-target.ts'
import { findTargets, type Target, type TargetOptions } from '../install/target.ts'
import { escapeControls, showPath } from '../text/clean.ts'
import {
  type AppliedChange,
  type Change,
  factsOf,
  lines,
  previewed,
  printed,
  report,
  toJson,
} from './_init-report.ts'

/** A running session that writes its old settings back does so within a moment. */
const SETTLE_MS = 2000

export const initCommand = defineCommand({
  args: {
    client: {
      type: 'string',
      description: `The agent client, or several with commas: ${clientNames.join(', ')}`,
      valueHint: 'NAME',
    },
    all: { type: 'boolean', description: 'All clients that are found' },
    user: { type: 'boolean', description: 'In your own settings (default)' },
    project: { type: 'boolean', description: "In this project's settings, for all who share it" },
    events: {
      type: 'string',
      description: "Only these of the client's events, with commas",
      valueHint: 'NAMES',
    },
    'dry-run': { type: 'boolean', description: 'Show the change, write nothing' },
    print: { type: 'boolean', description: 'Print what belongs into the settings, write nothing' },
    yes: { type: 'boolean', description: 'Do not ask' },
    json: { type: 'boolean', description: 'Print one JSON object; needs --yes or --dry-run' },
  },
  async run({ args }) {
    const { installFrontDoor } = await import('../install/front-door.ts')
    const { print, ...flags } = args
    await runInit(
      { ...flags, dryRun: args['dry-run'], printOnly: print },
      {
        env: process.env,
        cwd: process.cwd(),
        isTerminal: Boolean(process.stdin.isTTY && process.stdout.isTTY),
        print: write,
        ask: (question) => askYesNo(question, { enterIsYes: true }),
        installFrontDoor,
        settle: () => sleep(SETTLE_MS),
      },
    )
  },
})

export interface InitOptions extends TargetOptions {
  dryRun?: boolean | undefined
  printOnly?: boolean | undefined
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
  const targets = findTargets(options, world)
  const isPreview = options.dryRun || options.printOnly
  if (!isPreview && !options.yes && (options.json || !world.isTerminal)) {
    throw usageError(
      'init asks before it writes',
      'Use --yes, or --dry-run to see what it would write',
    )
  }
  const state = stateDir(world.env)
  refuseFoldersAtRisk(configDir(world.env), state)
  const { path: door } = await world.installFrontDoor({ stateDir: state, dryRun: true })
  if (options.printOnly) return world.print(printed(targets, door, options))
  // All of them before the first is written: what one refuses leaves the others as they are.
  const changes = targets.map((target) => look(target, door, world))
  if (options.dryRun) return world.print(previewed(changes, door, options))

  const pending = changes.filter(({ preview }) => preview.changed)
  if (pending.length > 0 && !options.yes) {
    world.print(pending.map(({ diff, notes }) => `${diff}\n${lines('Note', notes)}`).join('\n'))
    const files = pending.map(({ target }) => showPath(target.file.path)).join(', ')
    if (!(await world.ask(`Write ${files}? [Y/n] `))) return world.print('Nothing was written.\n')
  }
  await world.installFrontDoor({ stateDir: state })
  const applied = applyAll(changes, state)
  if (!options.json) {
    const channel = channelOf(world.env)
    world.print(report(applied, { door, channel, areNotesNew: Boolean(options.yes) }))
  }
  if (applied.some(({ changed }) => changed)) {
    await world.settle()
    for (const { target, plan } of changes)
      refuseUndone(target.file.path, plan(readSettings(target.file.path).text).changed)
  }
  if (options.json) {
    const places = applied.map(({ change, changed, backup = null }) => {
      return { ...factsOf(change, door), changed, written: changed, backup }
    })
    world.print(toJson({ door, places }))
  }
}

function look(target: Target, door: string, { env }: InitWorld): Change {
  const { file } = target
  const plan = planTarget(target, door)
  const old = readSettings(file.path)
  const preview = plan(old.text)
  const diff = renderDiff(file.path, old.hash && old.text, preview.text)
  const notes = settingsNotes(target, { shape: preview.shape, links: old.links }, { env })
  return { target, plan, preview, diff, notes }
}

/** Where one fails, those before it stand, and the message says so. */
function applyAll(changes: readonly Change[], state: string): AppliedChange[] {
  const done: AppliedChange[] = []
  for (const change of changes) {
    const { target, plan } = change
    const { file, scope, name, guard, client } = target
    const isShared = scope === 'project'
    try {
      const applied = applyPlan({ path: file.path, isShared, stateDir: state, plan, guard })
      done.push({ ...applied, change })
    } catch (error) {
      throw withWritten(error, done)
    }
    const form = client.entries === 'plugin' ? 'plugin' : file.shape
    rememberPlace(state, { client: name, scope, path: file.path, form })
  }
  return done
}

function withWritten(error: unknown, done: readonly AppliedChange[]): unknown {
  const written = done.filter(({ changed }) => changed)
  if (!(error instanceof HookbellError) || written.length === 0) return error
  const paths = written.map(({ change }) => change.target.file.path).join(', ')
  const why = error.hint?.replace(/\.? ?Nothing was written$/, '')
  const hint = `${why ? `${why}. ` : ''}Written before that: ${paths}`
  return new HookbellError(error.code, error.message, { hint, cause: error })
}

/** One that there is. What the configuration names of this shell is stored for the worker. */
function channelOf(env: InitWorld['env']): string {
  const current = new CurrentConfig(configDir(env), stateDir(env))
  current.storeVariables(shellEnvironment(env))
  const { config } = current.get()
  return Object.keys(config.channels)[0] ?? 'desktop'
}

function refuseUndone(path: string, isUndone: boolean): void {
  if (!isUndone) return
  throw new HookbellError('E_FAILED', `${path}: the hooks were removed again`, {
    hint: 'A running session wrote its old settings back: end all sessions, then run init again',
  })
}
