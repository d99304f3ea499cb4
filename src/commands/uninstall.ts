import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defineCommand } from 'citty'
import { askYesNo } from '../cli/ask.ts'
import { fit, write } from '../cli/output.ts'
import { CurrentConfig } from '../config/current.ts'
import { configDir, configPath, secretsPath, stateDir } from '../config/paths.ts'
import { removeKeychain } from '../config/secrets/keychain.ts'
import { KEYCHAIN } from '../config/secrets/source.ts'
import { describeError, HookbellError, usageError } from '../errors.ts'
import { renderDiff } from '../install/edit/diff.ts'
import { type HookPlace, isLinkedOut, knownPlaces, rememberedPlaces } from '../install/places.ts'
import { endWorker, removeEverything, removeFrontDoor } from '../install/remove-state.ts'
import { parseClients } from '../install/target.ts'
import {
  findRegistration,
  forgetIfClean,
  type Registration,
  takeAway,
} from '../install/uninstall.ts'
import { hasDead } from '../journal/history.ts'
import { escapeControls, showPath } from '../text/clean.ts'
import { readEvents, stateFolders } from './_events.ts'

export const uninstallCommand = defineCommand({
  args: {
    client: {
      type: 'string',
      description: 'Only from this agent client, or from several with commas',
      valueHint: 'NAME',
    },
    user: { type: 'boolean', description: 'Only from your own settings' },
    project: { type: 'boolean', description: 'Only from the settings of projects' },
    all: { type: 'boolean', description: 'From all known places (default)' },
    'dry-run': { type: 'boolean', description: 'Show the change, write nothing' },
    yes: { type: 'boolean', description: 'Do not ask' },
    json: { type: 'boolean', description: 'Print one JSON object; needs --yes or --dry-run' },
    purge: {
      type: 'boolean',
      description: 'Also remove configuration, secrets, state, copies and everything that waits',
    },
  },
  run: ({ args }) => runUninstall({ ...args, dryRun: args['dry-run'] }),
})

interface UninstallOptions {
  client?: string | undefined
  user?: boolean | undefined
  project?: boolean | undefined
  all?: boolean | undefined
  dryRun?: boolean | undefined
  yes?: boolean | undefined
  json?: boolean | undefined
  purge?: boolean | undefined
}

interface Found {
  registrations: Registration[]
  /** Files that have our command in them and cannot be edited. */
  faults: string[]
}

/** @returns 0, or 1 where something of ours could not be taken away */
async function runUninstall(options: UninstallOptions): Promise<number> {
  checkOptions(options)
  const found = findAll(options)
  const isWhole = options.client === undefined && !options.user && !options.project
  const losses = options.purge ? findLosses() : noLosses
  if (!options.json) print(describe(found, options, losses))
  if (options.dryRun) {
    if (options.json) print(toJson({ ...report(found), ...losses, written: false }))
    return found.faults.length > 0 ? 1 : 0
  }
  if (!options.yes && !(await askYesNo('Remove the hooks? [Y/n] ', { enterIsYes: true }))) {
    print('Nothing was written.\n')
    return 0
  }
  const state = stateDir()
  const outcome = takeAll(found, state)
  // Printed before the remaining steps, which may fail.
  if (!options.json) print(fit(lines([...outcome.told, ...faultLines(outcome.faults)])))
  for (const place of rememberedPlaces(state).filter(selectedBy(options)))
    forgetIfClean(place, state)
  const isDone = outcome.faults.length === 0
  const rest = isWhole && isDone ? await removeRest(options) : { notes: [] as string[] }
  if (isWhole && !isDone)
    rest.notes.push('The front door stays until the hooks are removed everywhere')
  if (options.json) print(toJson({ ...outcome, ...rest, ...losses, written: true }))
  else print(fit(lines(rest.notes)))
  return isDone ? 0 : 1
}

function checkOptions({ client, user, project, all, purge, ...options }: UninstallOptions) {
  const isPart = client !== undefined || Boolean(user) || Boolean(project)
  if (client !== undefined) parseClients(client)
  if (user && project) throw usageError('--user and --project exclude each other')
  if (all && isPart)
    throw usageError('--all removes hookbell everywhere and takes no other selection')
  if (purge && isPart)
    throw usageError('--purge removes everything, so it takes no --client, --user or --project')
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY
  if (!options.dryRun && !options.yes && (options.json || !isTerminal)) {
    throw usageError(
      'uninstall asks before it writes',
      'Use --yes, or --dry-run to see what it would do',
    )
  }
}

function selectedBy({ client, user, project }: UninstallOptions): (place: HookPlace) => boolean {
  const names = client === undefined ? undefined : parseClients(client)
  return (place) => {
    if ((names && !names.includes(place.client)) || isLinkedOut(place)) return false
    return place.scope === 'user' ? !project : !user
  }
}

function findAll(options: UninstallOptions): Found {
  const state = stateDir()
  const places = knownPlaces(state, { env: process.env, cwd: process.cwd() })
  const found: Found = { registrations: [], faults: [] }
  for (const place of places.filter(selectedBy(options))) {
    try {
      const registration = findRegistration(place, state)
      if (registration) found.registrations.push(registration)
    } catch (error) {
      if (!(error instanceof HookbellError)) throw error
      found.faults.push(error.message)
    }
  }
  return found
}

function takeAll({ registrations, faults }: Found, state: string) {
  const outcome = { places: [] as object[], told: [] as string[], faults: [...faults] }
  for (const { place } of registrations) {
    try {
      const became = takeAway(place, state)
      outcome.places.push({ ...place, outcome: became })
      outcome.told.push(`${words[became]} ${showPath(place.path)}`)
    } catch (error) {
      outcome.faults.push(describeError(error))
    }
  }
  return outcome
}

const words = {
  restored: 'Restored byte for byte:',
  deleted: 'Removed, because init created it:',
  cleaned: 'Removed our hooks from',
}

/** Once nothing is registered any more: removes the front door, ends workers, and with --purge removes all data. */
async function removeRest({ purge }: UninstallOptions) {
  const notes: string[] = []
  const [config, state] = [configDir(), stateDir()]
  const folders = stateFolders()
  removeFrontDoor(state)
  for (const folder of folders) {
    if (!(await endWorker(folder))) notes.push(`A worker still runs in ${showPath(folder)}`)
  }
  if (!purge) {
    const kept = [config, state].filter((folder) => existsSync(folder)).map(showPath)
    const them = kept.length > 1 ? 'them' : 'it'
    if (kept.length > 0) notes.push(`Kept: ${kept.join(' and ')}; --purge removes ${them}`)
    return { notes }
  }
  notes.push(...(await purgeKeychain(config, state)))
  const wasThere = [config, ...folders].some((folder) => existsSync(folder))
  const left = removeEverything(folders, config)
  notes.push(
    wasThere ? 'Removed: configuration, secrets, state and copies' : 'Nothing else was left',
  )
  return { notes: [...notes, ...left.map((path) => `Not ours, left: ${showPath(path)}`)] }
}

function describe(
  { registrations, faults }: Found,
  { dryRun }: UninstallOptions,
  losses: Losses,
): string {
  const diffs = registrations.map(({ place, before, removal }) =>
    dryRun
      ? renderDiff(place.path, before, removal.text)
      : `Registered in ${showPath(place.path)}\n`,
  )
  const isNone = registrations.length === 0 && faults.length === 0
  return [
    ...(isNone ? ['No hook of hookbell is registered here.\n'] : diffs),
    ...(dryRun ? [lines(faultLines(faults))] : []),
    describeLosses(losses),
    dryRun ? '\nNothing was written.\n' : '',
  ].join('')
}

function faultLines(faults: readonly string[]): string[] {
  if (faults.length === 0) return []
  return [...faults.map((fault) => `x ${fault}`), '  Correct that, then run the command again']
}

function report({ registrations, faults }: Found) {
  const places = registrations.map(({ place, removal }) => ({
    ...place,
    outcome: removal.isGone ? 'deleted' : removal.isExact ? 'restored' : 'cleaned',
  }))
  return { places, faults }
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('')
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Escaped, because names of folders and files come from the author of a project. */
function print(text: string) {
  write(escapeControls(text))
}

/** What of the user `--purge` removes. */
export interface Losses {
  /** Events that are not delivered; null if they cannot be counted, as in a spool that is damaged. */
  waiting: number | null
  /** Files and folders. */
  lost: readonly string[]
  /** Names of secrets in the keychain. */
  keychain: readonly string[]
}

export const noLosses: Losses = { waiting: 0, lost: [], keychain: [] }

export function findLosses(): Losses {
  const [folder, folders] = [configDir(), stateFolders()]
  const own = [configPath(folder), secretsPath(folder), join(folder, 'templates')]
  return {
    waiting: countWaiting(folders),
    lost: [...own, ...folders].filter((path) => existsSync(path)),
    keychain: keychainNames(folder, stateDir()),
  }
}

/** A line for each. */
export function describeLosses({ waiting, lost, keychain }: Losses): string {
  return [
    ...(waiting === 0 ? [] : [`Undelivered, and lost with --purge: ${waiting ?? NOT_COUNTED}`]),
    ...lost.map((path) => `Lost with --purge: ${showPath(path)}`),
    ...(keychain.length > 0
      ? [`Lost with --purge, from the keychain: ${keychain.join(', ')}`]
      : []),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

const NOT_COUNTED = 'events that cannot be counted'

/** A person who removes everything need not repair it first. */
function countWaiting(folders: readonly string[]): number | null {
  try {
    const { known } = readEvents(folders)
    return known.filter((one) => one.outcome === 'waiting' || hasDead(one)).length
  } catch {
    return null
  }
}

/** Removes the secrets that the configuration takes from the keychain. @returns what could not be removed */
export async function purgeKeychain(configDir: string, stateDir: string): Promise<string[]> {
  const left: string[] = []
  for (const name of keychainNames(configDir, stateDir)) {
    try {
      await removeKeychain(name, stateDir)
    } catch {
      left.push(`Not removed from the keychain, if it is there: ${name}`)
    }
  }
  return left
}

/** The secrets that the configuration takes from the keychain. */
export function keychainNames(configDir: string, stateDir: string): string[] {
  const { secrets = {} } = new CurrentConfig(configDir, stateDir).get().config
  return Object.keys(secrets).filter((name) => secrets[name] === KEYCHAIN)
}
