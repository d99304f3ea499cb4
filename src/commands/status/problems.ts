import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { caFileProblems } from '../../config/ca-file.ts'
import { brokenChannels } from '../../config/channels.ts'
import { foldersAtRisk, noSpace } from '../../config/folders-at-risk.ts'
import { configDir, stateDir } from '../../config/paths.ts'
import type { ConfigSummary } from '../../config/summary.ts'
import { listQuietly } from '../../fs/read.ts'
import type { EventStatus } from '../../journal/history.ts'
import { spoolAtRisk } from '../../spool/at-risk.ts'
import { spoolIn } from '../../spool/layout.ts'
import { hasWaiting } from '../../spool/outline.ts'
import { cleanText, showPath } from '../../text/clean.ts'
import { counted } from '../../text/counted.ts'
import { quoteShown } from '../../text/shell.ts'

/** Describes questions that reached nobody. An agent may still be waiting for an answer. */
export function unreachedProblem(count: number, { title, reason }: EventStatus): string {
  const what = counted(count, 'question')
  return (
    `${what} reached nobody; the first: ${cleanText(title)} (${cleanText(reason)}). ` +
    'Answer in the session itself. To find the cause: hookbell doctor, hookbell dead. ' +
    'The next message that gets through, such as that of hookbell test NAME, will mention it'
  )
}

export async function problemsOf(
  summary: ConfigSummary,
  { dead, withDead }: { dead: number; withDead: number },
  folders: readonly string[],
): Promise<string[]> {
  const { channels, problem, unreachable, unset, warnings, source } = summary
  const problems: string[] = []
  const state = stateDir()
  if (problem) {
    problems.push(`${problem.message} (the ${source} settings are used). ${problem.hint}`)
  }
  const broken = brokenChannels(summary)
  for (const { name, why } of broken)
    problems.push(`channel ${name}: ${why}${await adviceOn(why, unset)}`)
  const usable = Object.values(channels).filter(({ state }) => state !== 'broken')
  const isExplained = usable.length === 0 && broken.length > 0
  if (unreachable.length === usable.length && !isExplained)
    problems.push('no route leads to a channel: nobody is notified. Add one: hookbell config edit')
  problems.push(...warnings)
  const full = noSpace(state)
  const risks = [...foldersAtRisk(configDir(), state), ...spoolAtRisk(state), full]
  for (const fault of risks.filter((one) => one !== undefined))
    problems.push([fault.message, fault.hint].filter(Boolean).join('. '))
  problems.push(...caFileProblems(summary))
  const others = withDead > dead ? ` (${withDead - dead} of them waiting or undelivered too)` : ''
  if (withDead > 0) problems.push(`${withDead} dead${others}: see hookbell dead`)
  for (const { corrupt } of folders.map(spoolIn)) {
    const count = listQuietly(corrupt).length
    if (count > 0) problems.push(`${count} damaged or foreign in ${corrupt}`)
  }
  // A full disk has been reported with the folder that takes the events.
  for (const folder of full ? [] : folders.slice(1).filter(hasWaiting)) {
    problems.push(`events are stored in ${folder}: ${state} failed`)
  }
  return problems
}

/** Why the hub cannot be reached, and how to set what it lacks. */
export async function hubProblem(reach: string, { unset }: ConfigSummary): Promise<string> {
  return `hub: ${reach}${await adviceOn(reach, unset)}`
}

/** How to set the variables that a reason names. Loads the facts about the clients only if it names one. */
async function adviceOn(reason: string, unset: readonly string[]): Promise<string> {
  if (!unset.some((name) => reason.includes(`\${${name}}`))) return ''
  const { shellEnvironment } = await import('../../clients/shell-environment.ts')
  const { howToSetIn } = await import('../../config/secrets/how-to-set.ts')
  return `. ${howToSetIn(reason, unset, configDir(), shellEnvironment(process.env))}`
}

/** Loads the template engine only if there are templates of the user's own; most users have none. */
export async function templateProblemsIn(
  folder: string,
  named: readonly string[] = [],
): Promise<string[]> {
  if (!existsSync(join(folder, 'templates'))) return []
  const { templateProblems } = await import('../../render/check.ts')
  return templateProblems(folder, named)
}

/** What keeps questions from being answered on channels. Loaded only if somebody was ever paired; most users pair nobody. */
export async function answerProblems(state: string): Promise<string[]> {
  if (!existsSync(join(state, 'answer-people.json'))) return []
  const { notesIn } = await import('../../worker/memory.ts')
  const problem = notesIn(state).latest('answers')
  return problem ? [`answers on ${problem}`] : []
}

/** Loads the check only if a project was ever trusted; most users trust none. */
export async function changedTrust(folder: string): Promise<string[]> {
  if (!existsSync(join(folder, 'trusted-projects.json'))) return []
  const { changedProjects } = await import('../../context/project-rules.ts')
  const roots = await changedProjects(folder)
  return roots.map(
    (root) =>
      `${showPath(root)}/.hookbell.json changed since you trusted it. Look at it, then: hookbell trust ${quoteShown(root)}`,
  )
}
