import { needsTrust, type ProjectConfig, parseProject } from '../config/project-config.ts'
import { isTrustedProject, readTrusted } from '../config/trusted-projects.ts'
import { describeError } from '../errors.ts'
import type { Kind } from '../event/kind.ts'
import { cutText, oneLine } from '../text/clean.ts'
import { type ProjectFile, type RefusedFile, readProjectFile } from './project-file.ts'

/** What counts of a project's file, for the events of that project alone. */
export interface ProjectRules {
  /** Real path. */
  root: string
  trust: 'trusted' | 'untrusted' | 'changed'
  /** Instead of the folder's name, in what people read. */
  label?: string
  /** Kinds that are not told. Without trust never a permission question. */
  isMuted(kind: Kind): boolean
  minSeconds: number
  cooldownSeconds: number
  /** Of a trusted file: what has to hold. */
  when?: ProjectConfig['when']
  not?: ProjectConfig['not']
  /** In words, for `why`: what counts, and what does not. */
  counts: readonly string[]
  ignored: readonly string[]
}

const MAX_LABEL = 40

/** Never fails an event: what cannot be read or understood is named and left out. */
export async function projectRules(
  cwd: string,
  { home, stateDir }: { home: string; stateDir: string },
): Promise<ProjectRules | undefined> {
  const file = await readProjectFile(cwd, home).catch(() => undefined)
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
        : // An agent that asks stands still until somebody answers.
          kind !== 'permission' && isNamed(kind),
    ...(isTrusted && { when, not }),
    counts: Object.keys(config).filter(
      (key) => key !== '$schema' && (isTrusted || !['kinds', 'when', 'not'].includes(key)),
    ),
    ignored: isTrusted ? [] : needsTrust(config),
  }
}
