import { ago, paint } from '../../cli/output.ts'
import { stateDir } from '../../config/paths.ts'
import { doorFault, doorRisk } from '../../doctor/door-fault.ts'
import type { ClientRow } from '../../doctor/overview.ts'
import { escapeControls, showPath } from '../../text/clean.ts'

const QUIET_MS = 24 * 3600 * 1000

/** The reasons why hooks of a client do not run, or that no client has hooks at all. */
export function clientProblems(
  clients: readonly ClientRow[],
  {
    isInstalled,
    lastEvent,
    isHub,
  }: { isInstalled: boolean; lastEvent: number | null; isHub: boolean },
): string[] {
  const problems = clients.flatMap(({ title, problems }) =>
    problems.map((problem) => `${title}: ${problem}`),
  )
  if (clients.some(({ registered }) => registered.length > 0))
    return [...problems, ...doorProblems()]
  if (problems.length > 0 || isHub) return problems
  // Programs may store events through the library, without any hook.
  const isUsed = !isInstalled && lastEvent !== null && Date.now() - lastEvent < QUIET_MS
  return isUsed ? [] : ['no agent client has our hooks: nobody is notified. Next: hookbell init']
}

/** Registered hooks call the front door, which may be missing, broken or unsafe. */
function doorProblems(): string[] {
  const fault = doorFault(stateDir())
  const seen = fault === undefined ? doorRisk(stateDir()) : `${fault}. Nobody is notified`
  return seen === undefined ? [] : [`${seen}. Run: hookbell doctor --fix`]
}

/** @param unseen what to say if none of the latest events is from this client */
export function describeClient(
  { client, registered, problems, lastEvent }: ClientRow,
  unseen: string,
): string {
  const last = lastEvent === null ? '' : `; last event ${ago(lastEvent)}`
  const where = registered.map(showPath).join(', ')
  const [problem, ...more] = problems
  if (problem !== undefined) {
    const others = more.length > 0 ? ` (and ${more.length} more below)` : ''
    return `${paint('red', 'has a problem')}: ${escapeControls(problem)}${others}${last}`
  }
  if (where === '') return `not registered: hookbell init --client ${client}${last}`
  return `${paint('green', 'registered')} in ${where}${lastEvent === null ? `; ${unseen}` : last}`
}
