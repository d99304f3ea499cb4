import { fit } from '../cli/output.ts'
import { shellEnvironment } from '../clients/shell-environment.ts'
import { CurrentConfig } from '../config/current.ts'
import { configDir, configPath, stateDir } from '../config/paths.ts'
import { refuseFoldersAtRisk } from '../config/trust.ts'
import { HookbellError, usageError } from '../errors.ts'
import { applyPlan } from '../install/apply.ts'
import { renderDiff } from '../install/diff.ts'
import { readSettings, whereIs } from '../install/file.ts'
import { settingsNotes } from '../install/notes.ts'
import { type HookPlace, rememberPlace } from '../install/places.ts'
import { planTarget } from '../install/plan-target.ts'
import { readRegistered, readRegisteredText } from '../install/registered.ts'
import { findRenewals } from '../install/renewal.ts'
import { findTargets, type Target, type TargetOptions } from '../install/target.ts'
import { escapeControls } from '../text/clean.ts'
import {
  type AppliedChange,
  type Change,
  factsOf,
  plannedPlaces,
  previewed,
  printed,
  report,
  summaryOf,
  toJson,
} from './_init-report.ts'
import { additionOf, plannedSetup, type Setup, shownAddition, writeSetup } from './_init-setup.ts'

export interface InitOptions extends TargetOptions {
  /** Channels to set up as well. */
  setup?: Setup | undefined
  dryRun?: boolean | undefined
  printOnly?: boolean | undefined
  yes?: boolean | undefined
  json?: boolean | undefined
  /** Whether the caller tests the channels afterwards; if not, the report says how to. */
  isTried?: boolean | undefined
}

/** What `init` touches besides the settings file. */
export interface InitWorld {
  env: Readonly<Record<string, string | undefined>>
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
 * @returns false if the person declined, or asked only to see the change
 */
export async function runInit(options: InitOptions, world: InitWorld): Promise<boolean> {
  const print = (text: string) => world.print(escapeControls(text))
  return await register(options, { ...world, print })
}

async function register(options: InitOptions, world: InitWorld): Promise<boolean> {
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
  if (options.printOnly) {
    world.print(printed(targets, door, options))
    return false
  }
  // All files are planned before the first is written, so that a refusal leaves every file unchanged.
  const changes = [
    ...targets.map((target) => planChange(target, door, world)),
    ...findRenewals(state, targets).flatMap((target) => planRenewal(target, door, world)),
  ]
  if (options.dryRun) {
    world.print(
      options.json ? asJson(changes, door, options.setup) : inFull(changes, options.setup),
    )
    return false
  }
  const pending = changes.filter(({ preview }) => preview.changed)
  const isToAsk = (pending.length > 0 || options.setup) && !options.yes
  if (isToAsk && !(await agree(pending, options.setup, world))) {
    world.print('Nothing was written.\n')
    return false
  }
  await world.installFrontDoor({ stateDir: state })
  if (options.setup) writeSetup(options.setup, configDir(world.env))
  const before = [door, ...(options.setup ? [configPath(configDir(world.env))] : [])]
  const applied = applyAll(changes, { state, before })
  if (!options.json) {
    const steps = nextSteps(options.setup, world.env)
    const next = options.isTried ? [] : steps
    const setup = plannedSetup(options.setup)
    world.print(fit(report(applied, { door, setup, next, areNotesNew: Boolean(options.yes) })))
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
  return true
}

function inFull(changes: readonly Change[], setup: Setup | undefined): string {
  return shownAddition(setup) + previewed(changes) + plannedSetup(setup)
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

function planChange(target: Target, door: string, { env }: InitWorld): Change {
  const { file } = target
  const plan = planTarget(target, door)
  const old = readSettings(file.path)
  const preview = plan(old.text)
  const realPath = whereIs(file.path)
  const diff = renderDiff(file.path, old.hash && old.text, preview.text)
  const notes = settingsNotes(target, { shape: preview.shape, links: old.links }, { env })
  const fault = readRegisteredText(placeOf(target), preview.text).fault
  const voided = fault === undefined ? [] : [`${fault}: ${target.client.title} runs no hook of it`]
  return { target, realPath, plan, preview, diff, notes: [...notes, ...voided] }
}

/** A file that was not chosen this time: no change if it is up to date or cannot be read. */
function planRenewal(target: Target, door: string, world: InitWorld): Change[] {
  try {
    const change = planChange(target, door, world)
    return change.preview.changed ? [change] : []
  } catch (error) {
    if (error instanceof HookbellError) return []
    throw error
  }
}

/** If one file fails, what was written before it stays written, and the error lists it. */
function applyAll(
  changes: readonly Change[],
  { state, before }: { state: string; before: readonly string[] },
): AppliedChange[] {
  const done: AppliedChange[] = []
  for (const change of changes) {
    const { target, plan } = change
    const { file, scope } = target
    const isShared = scope === 'project'
    const guard = (path: string) => {
      target.guard?.(path)
      refuseMoved(change)
    }
    try {
      const applied = applyPlan({ path: file.path, isShared, stateDir: state, plan, guard })
      done.push({ ...applied, change })
    } catch (error) {
      throw withWritten(error, before, done)
    }
    const place = placeOf(target)
    const events = [...new Set(readRegistered(place).hooks.map(({ event }) => event))]
    rememberPlace(state, { ...place, events })
  }
  return done
}

function placeOf({ name, client, scope, file: { path, shape } }: Target): HookPlace {
  return { client: name, scope, path, form: client.entries === 'plugin' ? 'plugin' : shape }
}

/** The person agreed to a change of the file that was there then, not of another one. */
function refuseMoved({ target: { file }, realPath }: Change) {
  if (whereIs(file.path) === realPath) return
  throw new HookbellError('E_SETTINGS', `${file.path}: this leads to another file than before`, {
    hint: 'A link was put there while init ran. Look at it, then run init again',
  })
}

function withWritten(
  error: unknown,
  before: readonly string[],
  done: readonly AppliedChange[],
): unknown {
  if (!(error instanceof HookbellError)) return error
  const settings = done.filter(({ changed }) => changed).map(({ change }) => change)
  const paths = [...before, ...settings.map(({ target }) => target.file.path)].join(', ')
  const why = error.hint?.replace(/\.? ?Nothing was written$/, '')
  const hint = `${why ? `${why}. ` : ''}Written before that: ${paths}`
  return new HookbellError(error.code, error.message, { hint, cause: error })
}

/** What is left to do for messages to arrive. Also stores the shell variables that the configuration refers to. */
function nextSteps(setup: Setup | undefined, env: InitWorld['env']): string[] {
  const current = new CurrentConfig(configDir(env), stateDir(env))
  current.storeVariables(shellEnvironment(env))
  const { config, unset } = current.get()
  const [first = 'desktop'] = [...Object.keys(config.channels), ...Object.keys(config.waiting)]
  const untried = setup ? Object.keys(setup.channels) : [first]
  const missing = unset.map((name) => `hookbell secrets set ${name}`)
  return [...missing, ...untried.map((channel) => `hookbell test ${channel}`)]
}

function refuseUndone(path: string, isUndone: boolean): void {
  if (!isUndone) return
  throw new HookbellError('E_FAILED', `${path}: the hooks were removed again`, {
    hint: 'A running session wrote its old settings back: end all sessions, then run init again',
  })
}
