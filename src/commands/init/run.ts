import { pathSteps } from '../../cli/how-to-call.ts'
import { fit } from '../../cli/output.ts'
import { shellEnvironment } from '../../clients/shell-environment.ts'
import { CurrentConfig } from '../../config/current.ts'
import { refuseFoldersAtRisk } from '../../config/folders-at-risk.ts'
import { configDir, configPath, stateDir } from '../../config/paths.ts'
import { commandsToSet } from '../../config/secrets/how-to-set.ts'
import { usageError } from '../../errors.ts'
import type { Env } from '../../fs/home.ts'
import { knownPlaces } from '../../install/places.ts'
import { readRegistered } from '../../install/registered.ts'
import { findTargets, type TargetOptions } from '../../install/target.ts'
import { escapeControls, showPath } from '../../text/clean.ts'
import { applyAll, refuseUndone } from './apply.ts'
import { planChanges } from './plan.ts'
import {
  type AppliedChange,
  type Change,
  factsOf,
  plannedPlaces,
  previewed,
  printed,
  report,
  restartNotes,
  summaryOf,
  toJson,
} from './report.ts'
import { additionOf, plannedSetup, type Setup, shownAddition, writeSetup } from './setup.ts'

export interface InitOptions extends TargetOptions {
  /** Whether `--channel` is given. */
  withChannels?: boolean | undefined
  /** Channels to set up as well: those that the configuration lacks. */
  setup?: Setup | undefined
  dryRun?: boolean | undefined
  printOnly?: boolean | undefined
  yes?: boolean | undefined
  json?: boolean | undefined
  /** Whether the caller tests the channels afterwards, and says then what is left to do. */
  isTried?: boolean | undefined
}

/** What `init` touches besides the settings file. */
export interface InitWorld {
  env: Env
  cwd: string
  isTerminal: boolean
  print(text: string): void
  /** @returns undefined at the end of the input. Throws after Ctrl+C. */
  ask(question: string): Promise<string | undefined>
  installFrontDoor(options: { stateDir: string; dryRun?: boolean }): Promise<{ path: string }>
  /** Waits until a running session would have undone the change. */
  settle(): Promise<unknown>
}

/**
 * Registers the hooks and sets up channels. Output is escaped: folder and file names come from the project's author.
 * @returns which sessions have to be restarted; undefined if the person declined, or asked only to see the change
 */
export async function runInit(
  options: InitOptions,
  world: InitWorld,
): Promise<Written | undefined> {
  const print = (text: string) => world.print(escapeControls(text))
  return await register(options, { ...world, print })
}

/** For how long hooks wait, by the configuration. */
function waitOf({ answers }: InitOptions, { env }: InitWorld) {
  if (!answers) return {}
  const { config } = new CurrentConfig(configDir(env), stateDir(env)).get()
  return { waitMinutes: config.answers.waitMinutes }
}

interface Written {
  restart: readonly string[]
}

async function register(options: InitOptions, world: InitWorld): Promise<Written | undefined> {
  const state = stateDir(world.env)
  const targets = isOnlyChannels(options, state, world)
    ? []
    : findTargets({ ...options, ...waitOf(options, world) }, world)
  refuseUnasked(options, world)
  const folder = configDir(world.env)
  refuseFoldersAtRisk(folder, state)
  const { path: door } = await world.installFrontDoor({ stateDir: state, dryRun: true })
  const { setup } = options
  if (options.printOnly) {
    world.print(printed(targets, door, options))
    return undefined
  }
  const changes = planChanges(targets, { door, state, env: world.env })
  if (options.dryRun) {
    world.print(options.json ? asJson(changes, door, setup) : inFull(changes, setup))
    return undefined
  }
  if (!(await isAgreed(changes, options, world))) {
    world.print('Nothing was written.\n')
    return undefined
  }
  await world.installFrontDoor({ stateDir: state })
  const added = plannedSetup(setup)
  if (setup) writeSetup(setup, folder)
  const before = [door, ...(setup ? [configPath(folder)] : [])]
  const applied = applyAll(changes, { state, before })
  if (!options.json) world.print(fit(reportOf(applied, { door, added }, options, world)))
  if (applied.some(({ changed }) => changed)) {
    await world.settle()
    for (const { change } of applied) refuseUndone(change)
  }
  if (options.json) world.print(toJson({ door, places: applied.map((one) => placeAt(one, door)) }))
  return { restart: restartNotes(applied) }
}

/** `--channel` alone, once the hooks are registered somewhere: a channel serves all clients, so none has to be chosen. */
function isOnlyChannels(options: InitOptions, state: string, place: InitWorld): boolean {
  const { withChannels, printOnly, client, all, events, user, project } = options
  const isPlaced = user || project || options.private
  const isChosen = [client, events].some((one) => one !== undefined) || all || isPlaced
  if (!withChannels || printOnly || isChosen) return false
  return knownPlaces(state, place).some((one) => readRegistered(one).hooks.length > 0)
}

function refuseUnasked(
  { dryRun, printOnly, yes, json }: InitOptions,
  { isTerminal }: Pick<InitWorld, 'isTerminal'>,
) {
  if (dryRun || printOnly || yes || (isTerminal && !json)) return
  const hint = 'Use --yes, or --dry-run to see what it would write'
  throw usageError('init asks before it writes', hint)
}

async function isAgreed(
  changes: readonly Change[],
  { setup, yes }: InitOptions,
  world: InitWorld,
): Promise<boolean> {
  const pending = changes.filter(({ preview }) => preview.changed)
  if (yes || (pending.length === 0 && !setup)) return true
  return await agree(pending, setup, world)
}

function reportOf(
  applied: readonly AppliedChange[],
  { door, added }: { door: string; added: string },
  { setup, isTried, yes }: InitOptions,
  { env }: InitWorld,
): string {
  const { missing, untried } = nextSteps(setup, env)
  const isNew = setup !== undefined || applied.some(({ changed }) => changed)
  const tests = [...missing, ...(isNew ? untried : [])]
  const next = isTried ? [] : [...restartNotes(applied), ...tests, ...pathSteps()]
  const facts = { door, setup: added, next, areNotesNew: Boolean(yes) }
  const path = showPath(configPath(configDir(env)))
  const isDone = applied.length === 0 && !setup
  const done = isDone ? `Nothing to do: ${path} has these channels already.\n` : ''
  return done + report(applied, facts)
}

function placeAt({ change, changed, backup }: AppliedChange, door: string) {
  return { ...factsOf(change, door), changed, written: changed, backup: backup ?? null }
}

function inFull(changes: readonly Change[], setup: Setup | undefined): string {
  const isPending = setup !== undefined || changes.some(({ preview }) => preview.changed)
  // Last, so that it speaks of all that is above it.
  const end = isPending ? '\nNothing was written.\n' : ''
  return shownAddition(setup) + previewed(changes) + plannedSetup(setup) + end
}

function asJson(changes: readonly Change[], door: string, setup: Setup | undefined): string {
  const config = setup && { path: configPath(configDir()), ...additionOf(setup) }
  return toJson({ door, places: plannedPlaces(changes, door), ...(config && { config }) })
}

/** Asks for consent with a short summary; the whole diff is shown on request. */
async function agree(
  pending: readonly Change[],
  setup: Setup | undefined,
  { print, ask }: InitWorld,
): Promise<boolean> {
  print(fit(pending.map(summaryOf).join('') + plannedSetup(setup)))
  for (;;) {
    const answer = await ask('Write this? [Y/n, d shows the whole change] ')
    if (answer === undefined || /^no?$/i.test(answer)) return false
    if (answer === '' || /^y(es)?$/i.test(answer)) return true
    print(pending.map(({ diff }) => `${diff}\n`).join('') + shownAddition(setup))
  }
}

/** The commands left to run for messages to arrive. Also stores the shell variables that the configuration refers to. */
function nextSteps(setup: Setup | undefined, env: InitWorld['env']) {
  const shell = shellEnvironment(env)
  const current = new CurrentConfig(configDir(env), stateDir(env))
  current.storeVariables(shell)
  const { config, unset } = current.get()
  const [first = 'desktop'] = Object.keys(config.channels)
  const channels = setup ? Object.keys(setup.channels) : [first]
  const untried = channels.map((channel) => `hookbell test ${channel}`)
  return { missing: commandsToSet(unset, shell), untried }
}
