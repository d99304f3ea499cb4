import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import type { Client, HookFile, Scope } from '../clients/define.ts'
import { type ClientName, clientNames, clients, isClientName } from '../clients/index.ts'
import { userFolder } from '../clients/paths.ts'
import { HookbellError, usageError } from '../errors.ts'
import { type Env, homeDir } from '../fs/home.ts'
import { isInside } from '../fs/links.ts'
import { exists } from '../fs/read.ts'
import { didYouMean } from '../text/suggest.ts'
import { type FileInForce, filesInForce, projectRoot } from './locate.ts'
import { isPresent } from './presence.ts'

/** A settings file that `init` is to edit, and for which client and scope. */
export interface Target {
  name: ClientName
  client: Client
  scope: Scope
  folder: string
  file: FileInForce
  /** The events to register in this file. */
  events: readonly string[]
  /** Whether there is no sign that the client is installed. */
  isAbsent: boolean
  /** Existing hooks are only brought up to date. Timeouts are kept, because a person may have set them. */
  isRenewal?: true
  /** For how long its questions wait for an answer from elsewhere. Absent: as before. */
  waitSeconds?: number
  /** Throws if a file is no longer inside the project, such as after a link was put in its place. */
  guard?: (path: string) => void
}

export interface TargetOptions {
  /** Names, with commas between them. */
  client?: string | undefined
  /** All installed clients. */
  all?: boolean | undefined
  /** Names of events, with commas between them. */
  events?: string | undefined
  user?: boolean | undefined
  project?: boolean | undefined
  /** Whether questions can be answered from elsewhere, where the client lets its hook wait. */
  answers?: boolean | undefined
  /** For how long, in that case. */
  waitMinutes?: number | undefined
  /** In the project, but in the file that only this user has. */
  private?: boolean | undefined
}

interface Place {
  env: Env
  cwd: string
}

/**
 * Reads the choice of clients, scope and events: one target for each file that is to be written.
 * @throws HookbellError `E_USAGE` if the choice is missing or contradicts itself, `E_SETTINGS` for a link out of the
 * project
 */
export function findTargets(given: TargetOptions, place: Place): Target[] {
  const options = given.private ? { ...given, project: true } : given
  if (given.user && given.private) throw usageError('--user and --private exclude each other')
  if (options.user && options.project) throw usageError('--user and --project exclude each other')
  if (options.all && options.client !== undefined)
    throw usageError('--all and --client exclude each other')
  const names = chooseClients(options, place.env)
  const wanted = options.events === undefined ? undefined : parseList(options.events)
  refuseUnknownEvents(names, wanted)
  if (options.answers) refuseWithoutAnswers(names, options)
  return names.flatMap((name) => targetsOf(name, wanted, options, place))
}

function chooseClients(
  { all, client, project, private: isPrivate }: TargetOptions,
  env: Place['env'],
): ClientName[] {
  const found = clientNames.filter(
    (name) =>
      isPresent(clients[name], env) &&
      (!project || hasProjectHooks(clients[name])) &&
      (!isPrivate || privateFile(clients[name])),
  )
  if (all && found.length > 0) return found
  return client === undefined ? [onlyOne(found)] : parseClients(client)
}

function refuseUnknownEvents(names: ClientName[], wanted: string[] | undefined): void {
  for (const name of names) {
    const { events, title }: Client = clients[name]
    const unknown = wanted?.find((event) => !events.includes(event))
    if (unknown === undefined) continue
    throw usageError(
      `--events: ${title} has no "${unknown}" to register`,
      `It has: ${events.join(', ')}`,
    )
  }
}

function refuseWithoutAnswers(names: readonly ClientName[], { project }: TargetOptions) {
  if (process.platform === 'win32')
    throw usageError('--answers: on Windows a question can only be answered where the agent asks')
  if (project) throw usageError('--answers: in your own settings only', 'Use --user')
  if (names.some((name) => (clients[name] as Client).takesAnswers)) return
  const able = Object.values(clients).filter((one: Client) => one.takesAnswers)
  const titles = able.map(({ title }) => title).join(', ')
  throw usageError(
    `--answers: not known to be possible for ${names.join(', ')}`,
    `It is for: ${titles}`,
  )
}

function targetsOf(
  name: ClientName,
  wanted: string[] | undefined,
  options: TargetOptions,
  { env, cwd }: Place,
): Target[] {
  const client: Client = clients[name]
  const isAbsent = !isPresent(client, env)
  const folder = options.project ? projectFolder(client, cwd, env) : userFolder(client, env)
  const events = client.events.filter((event) => wanted?.includes(event) ?? true)
  const files = options.private
    ? [{ file: filePrivate(client, folder), events }]
    : filesInForce(client, folder, events)
  return files.map((one) => {
    const { waitMinutes } = options
    const isWaiting = waitMinutes !== undefined && client.takesAnswers
    const waits = isWaiting && { waitSeconds: 60 * waitMinutes }
    const common = { name, client, folder, isAbsent, ...waits, ...one }
    if (!options.project) return { ...common, scope: 'user' }
    const root = dirname(folder)
    refuseOutside(root, [one.file.path, folder])
    const scope = options.private ? 'local' : 'project'
    return { ...common, scope, guard: makeGuard(root) }
  })
}

function hasProjectHooks({ hookFiles }: Client): boolean {
  return hookFiles.some(({ scope }) => scope === 'project')
}

/** The file in the client's folder of a project from which it reads the hooks of this user alone. */
function privateFile({ folder, hookFiles }: Client): HookFile | undefined {
  return hookFiles.find(({ scope, path }) => scope === 'local' && path.startsWith(`${folder}/`))
}

function filePrivate(client: Client, folder: string): FileInForce {
  const found = privateFile(client)
  if (!found)
    throw usageError(`--private: ${client.title} has no file for that`, 'Use --user or --project')
  const path = join(dirname(folder), found.path)
  return { path, name: basename(path), shape: found.form === 'bare' ? 'bare' : 'wrapped' }
}

function projectFolder(client: Client, cwd: string, env: Place['env']): string {
  if (!hasProjectHooks(client))
    throw usageError(`--project: ${client.title} reads no hooks from a project`, 'Use --user')
  if (process.platform === 'win32') {
    throw usageError('--project: no shared command line is known to work on Windows', 'Use --user')
  }
  const root = projectRoot(client, cwd, homeDir(env))
  if (!root)
    throw usageError('--project: this is the home directory', 'Use --user, or go to a project')
  return join(root, client.folder)
}

/** Refuses a link out of the project: a repository can contain a link to any file of the user. */
export function refuseOutside(root: string, paths: string[]): void {
  const path = paths.find(exists)
  if (path === undefined || isInside(realpath(path), realpath(root))) return
  throw new HookbellError('E_SETTINGS', `${path}: the file is a link out of the project`, {
    hint: 'Replace the link by a file, or use --user. Nothing was written',
  })
}

/** Makes a check that the project is still the folder that was found, and that a path still leads into it. */
export function makeGuard(root: string): (path: string) => void {
  const real = realpath(root)
  const identity = identityOf(root)
  return (path) => {
    // A missing file counts as where its nearest folder is. Links were resolved before, so one found now is new.
    const nearest = exists(path) ? path : nearestFolder(dirname(path))
    const isWithin = nearest === root || isInside(`${realpath(nearest)}${sep}`, real)
    if (isWithin && real !== '' && identityOf(root) === identity && realpath(root) === real) return
    throw new HookbellError('E_SETTINGS', `${path}: the file is a link out of the project`, {
      hint: 'It was put there meanwhile. Nothing was written',
    })
  }
}

function nearestFolder(path: string): string {
  return exists(path) || path === dirname(path) ? path : nearestFolder(dirname(path))
}

function identityOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stat ? `${stat.dev}:${stat.ino}` : ''
}

function realpath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return ''
  }
}

/** The only client that was found. If there are several, or none, the user has to choose. */
function onlyOne(found: readonly ClientName[]): ClientName {
  const [only] = found
  if (only && found.length === 1) return only
  const choices = (only ? found : clientNames).map((name) => `--client ${name}`)
  throw usageError(
    only ? `found more than one agent client: ${found.join(', ')}` : 'found no agent client',
    `Name it: ${choices.join(' or ')}${only ? ', or take them --all' : ''}`,
  )
}

/**
 * Reads names of clients, with commas between them.
 * @throws HookbellError `E_USAGE` for a name that no client has
 */
export function parseClients(text: string): ClientName[] {
  const names = parseList(text)
  if (names.length === 0) throw unknownClient(text)
  return [...new Set(names)].map((name) => {
    if (isClientName(name)) return name
    throw unknownClient(name)
  })
}

/** Words with commas between them, and perhaps after the last one. */
function parseList(text: string): string[] {
  return text.split(/[,\s]+/).filter((word) => word !== '')
}

/** Also takes the name of the product, such as "Claude Code" or "gemini-cli". */
function unknownClient(name: string): HookbellError {
  const meant = clientNames.find((one) => name.toLowerCase().startsWith(one))
  const hint = meant === undefined ? didYouMean(name, clientNames) : `Did you mean "${meant}"?`
  return usageError(`unknown client "${name}"`, hint)
}
