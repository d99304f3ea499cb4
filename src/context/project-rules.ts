import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import {
  needsTrust,
  PROJECT_FILE,
  type ProjectConfig,
  parseProject,
} from '../config/project-config.ts'
import { isTrustedProject, readTrusted, type TrustedProject } from '../config/trusted-projects.ts'
import { describeError, errorCode } from '../errors.ts'
import type { Kind } from '../event/event.ts'
import { homeDir } from '../fs/home.ts'
import { pathGate } from '../fs/path-gate.ts'
import { cutText, oneLine } from '../text/clean.ts'
import { sha256 } from '../text/sha256.ts'
import { gitRoot, mayBeProject } from './project.ts'

const MAX_BYTES = 64 * 1024

/** A project's own file as found. None of it is trusted yet. */
export interface ProjectFile {
  /** The real path of the project's top folder. */
  root: string
  owner: number
  text: string
  hash: string
}

/** A file that exists but is not read. */
export interface RefusedFile {
  root: string
  refused: string
}

export type TrustState = 'trusted' | 'changed' | 'gone'

/** The rules of a project's file that are in force, for the events of that project only. */
export interface ProjectRules {
  /** Real path. */
  root: string
  trust: 'trusted' | 'untrusted' | 'changed'
  /** Shown to people instead of the folder's name. */
  label?: string
  /** Whether a kind is not announced. An untrusted file never mutes permission questions. */
  isMuted(kind: Kind): boolean
  minSeconds: number
  cooldownSeconds: number
  /** Whether its questions must not be answered on channels. Absent for false. */
  hasNoAnswers?: boolean
  /** Conditions, of a trusted file only. */
  when?: ProjectConfig['when']
  not?: ProjectConfig['not']
  /** Settings that are in force and settings that are not, in words, for `why`. */
  counts: readonly string[]
  ignored: readonly string[]
}

const MAX_LABEL = 40

/** Never fails an event: a file that is refused or invalid has no effect, and `ignored` says why. */
export async function projectRules(
  cwd: string,
  { home, stateDir }: { home: string; stateDir: string },
): Promise<ProjectRules | undefined> {
  const file = await readProjectFile(cwd, home)
  return file && rulesOf(file, stateDir)
}

export function rulesOf(file: ProjectFile | RefusedFile, stateDir: string): ProjectRules {
  const { root } = file
  if ('refused' in file) return nothing(root, 'untrusted', file.refused)
  const trusted = readTrusted(stateDir)
  const isKnown = trusted.some((one) => one.root === root)
  const isTrusted = isTrustedProject(file, trusted)
  const trust = isTrusted ? 'trusted' : isKnown ? 'changed' : 'untrusted'
  try {
    return rulesFrom(parseProject(file.text), root, trust)
  } catch (error) {
    return nothing(root, trust, describeError(error))
  }
}

function nothing(root: string, trust: ProjectRules['trust'], why: string): ProjectRules {
  const none = { minSeconds: 0, cooldownSeconds: 0, counts: [], isMuted: () => false }
  // It may have said so.
  return { root, trust, ...none, hasNoAnswers: true, ignored: [why] }
}

function rulesFrom(
  config: ProjectConfig,
  root: string,
  trust: ProjectRules['trust'],
): ProjectRules {
  const { name = '', mute = false, minSeconds = 0, cooldownSeconds = 0, kinds, when, not } = config
  const hasNoAnswers = config.answers === false
  const isTrusted = trust === 'trusted'
  const isNamed = (kind: Kind) => (Array.isArray(mute) ? mute.includes(kind) : mute)
  const label = cutText(oneLine(name), MAX_LABEL)
  return {
    root,
    trust,
    ...(label && { label }),
    minSeconds,
    cooldownSeconds,
    ...(hasNoAnswers && { hasNoAnswers }),
    isMuted: (kind) =>
      isTrusted
        ? isNamed(kind) || (kinds !== undefined && !kinds.includes(kind))
        : // A permission question blocks the agent until somebody answers.
          kind !== 'permission' && isNamed(kind),
    ...(isTrusted && { when, not }),
    counts: Object.keys(config).filter(
      (key) => key !== '$schema' && (isTrusted || !['kinds', 'when', 'not'].includes(key)),
    ),
    ignored: isTrusted ? [] : needsTrust(config),
  }
}

/**
 * Reads the file of the project around a folder. The folder comes from a payload, so nothing is waited for, the file
 * must not be a link, and only a regular file of this user is read.
 * @returns undefined if there is none, or if reading takes too long
 */
export async function readProjectFile(
  cwd: string,
  home: string,
  gate = pathGate,
): Promise<ProjectFile | RefusedFile | undefined> {
  if (!isAbsolute(cwd) || cwd.includes('\0') || cwd === home || !mayBeProject(cwd)) return undefined
  return gate.run(async () => {
    const root = await realpath((await gitRoot(cwd)) ?? cwd)
    // A link may lead to another machine.
    if (root === home || !mayBeProject(root)) return undefined
    return await readIn(root)
  }, undefined)
}

async function readIn(root: string): Promise<ProjectFile | RefusedFile | undefined> {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  let file: FileHandle
  try {
    file = await open(join(root, PROJECT_FILE), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    const code = errorCode(error) ?? 'unknown'
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    return { root, refused: code === 'ELOOP' ? 'a symbolic link' : `cannot be opened (${code})` }
  }
  try {
    const stat = await file.stat()
    const me = process.getuid?.()
    if (!stat.isFile()) return { root, refused: 'not a regular file' }
    if (me !== undefined && stat.uid !== me) return { root, refused: 'belongs to another user' }
    const bytes = await readStart(file)
    if (bytes.length > MAX_BYTES) return { root, refused: `larger than ${MAX_BYTES} bytes` }
    const hash = sha256(bytes)
    return { root, owner: stat.uid, text: bytes.toString('utf8').replace(/^\uFEFF/, ''), hash }
  } finally {
    await file.close()
  }
}

/** Reads up to one byte more than is allowed, to notice a larger file whatever size `stat` reports. */
async function readStart(file: FileHandle): Promise<Buffer> {
  const bytes = Buffer.alloc(MAX_BYTES + 1)
  let size = 0
  while (size < bytes.length) {
    const { bytesRead } = await file.read(bytes, size, bytes.length - size, size)
    if (bytesRead === 0) break
    size += bytesRead
  }
  return bytes.subarray(0, size)
}

/** What has become of a project since a person trusted it. */
export async function trustOf(project: TrustedProject): Promise<TrustState> {
  const file = await readProjectFile(project.root, homeDir())
  if (!file || file.root !== project.root) return 'gone'
  if ('refused' in file) return 'changed'
  return isTrustedProject(file, [project]) ? 'trusted' : 'changed'
}

/** The real paths of projects whose file is no longer the one that was trusted. */
export async function changedProjects(stateDir: string): Promise<string[]> {
  const states = await Promise.all(
    readTrusted(stateDir).map(async (one) => ({ root: one.root, state: await trustOf(one) })),
  )
  return states.filter(({ state }) => state === 'changed').map(({ root }) => root)
}
