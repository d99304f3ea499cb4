import { needsTrust, type ProjectConfig, parseProject } from '../config/project-config.ts'
import { isTrustedProject, readTrusted } from '../config/trusted-projects.ts'
import { describeError } from '../errors.ts'
import type { Kind } from '../event/kind.ts'
import { cutText, oneLine } from '../text/clean.ts'
import { type ProjectFile, type RefusedFile, readProjectFile } from './project-file.ts'

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
  return { root, trust, ...none, ignored: [why] }
}

function rulesFrom(
  config: ProjectConfig,
  root: string,
  trust: ProjectRules['trust'],
): ProjectRules {
  const { name = '', mute = false, minSeconds = 0, cooldownSeconds = 0, kinds, when, not } = config
  const isTrusted = trust === 'trusted'
  const isNamed = (kind: Kind) => (Array.isArray(mute) ? mute.includes(kind) : mute)
  const label = cutText(oneLine(name), MAX_LABEL)
  return {
    root,
    trust,
    ...(label && { label }),
    minSeconds,
    cooldownSeconds,
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
