import { realpathSync, statSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import type { Client, Scope } from '../clients/define.ts'
import { type ClientName, clientNames, clients, isClientName } from '../clients/index.ts'
import { userFolder } from '../clients/paths.ts'
import { homeDir } from '../config/paths.ts'
import { HookbellError, usageError } from '../errors.ts'
import { exists, type FileInForce, fileInForce, projectRoot } from './locate.ts'

/** Whose settings a command is about, and where. */
export interface Target {
  name: ClientName
  client: Client
  scope: Scope
  folder: string
  file: FileInForce
  /** Throws where a file is not in the project any more, such as by a link that was put there meanwhile. */
  guard?: (path: string) => void
}

export interface TargetOptions {
  client?: string | undefined
  user?: boolean | undefined
  project?: boolean | undefined
}

interface Place {
  env: Readonly<Record<string, string | undefined>>
  cwd: string
}

/**
 * Reads the choice of client and scope.
 * @throws HookbellError `E_USAGE` where it is not the user's choice yet
 */
export function findTarget(options: TargetOptions, { env, cwd }: Place): Target {
  if (options.user && options.project) throw usageError('--user and --project exclude each other')
  const name = options.client ?? detectClient(env)
  if (!isClientName(name))
    throw usageError(`unknown client "${name}"`, `Known: ${clientNames.join(', ')}`)
  const client: Client = clients[name]
  const folder = options.project ? projectFolder(client, cwd, env) : userFolder(client, env)
  const file = fileInForce(client, folder)
  if (!options.project) return { name, client, scope: 'user', folder, file }
  const root = dirname(folder)
  refuseOutside(root, [file.path, folder])
  return { name, client, scope: 'project', folder, file, guard: makeGuard(root) }
}

function projectFolder(client: Client, cwd: string, env: Place['env']): string {
  if (process.platform === 'win32') {
    throw usageError('--project: no shared command line is known to work on Windows', 'Use --user')
  }
  const root = projectRoot(client, cwd, homeDir(env))
  if (!root)
    throw usageError('--project: this is the home directory', 'Use --user, or go to a project')
  return join(root, client.folder)
}

/** A repository can carry a link to any file of the user's. Nobody expects to edit that one. */
function refuseOutside(root: string, paths: string[]): void {
  const path = paths.find(exists)
  if (path === undefined || realpath(path).startsWith(realpath(root) + sep)) return
  throw new HookbellError('E_SETTINGS', `${path}: the file is a link out of the project`, {
    hint: 'Replace the link by a file, or use --user. Nothing was written',
  })
}

/** The project as it was found: the same folder, and the file in it, whatever its name leads to by then. */
function makeGuard(root: string): (path: string) => void {
  const real = realpath(root)
  const identity = identityOf(root)
  return (path) => {
    // What is not there yet is where its folder is; what is there must be no link, since links were followed.
    const nearest = exists(path) ? path : nearestFolder(dirname(path))
    const isInside = nearest === root || `${realpath(nearest)}${sep}`.startsWith(real + sep)
    if (isInside && real !== '' && identityOf(root) === identity && realpath(root) === real) return
    throw new HookbellError('E_SETTINGS', `${path}: the file is a link out of the project`, {
      hint: 'It was put there while init ran. Nothing was written',
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

/** The only client that has a folder. Several are a question, and guessing would surprise. */
function detectClient(env: Place['env']): string {
  const found = clientNames.filter((name) => exists(userFolder(clients[name], env)))
  const [only] = found
  if (only && found.length === 1) return only
  const choices = (only ? found : clientNames).map((name) => `--client ${name}`)
  throw usageError(
    only ? `found more than one agent client: ${found.join(', ')}` : 'found no agent client',
    `Name it: ${choices.join(' or ')}`,
  )
}
