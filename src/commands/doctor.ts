import { defineCommand } from 'citty'
import { reportError } from '../cli/errors.ts'
import { asTyped } from '../cli/how-to-call.ts'
import { paint, printJson, say, table } from '../cli/output.ts'
import { stateDir } from '../config/paths.ts'
import type { Check, CheckStatus, Facts } from '../doctor/check.ts'
import { checkClients, readAll } from '../doctor/clients.ts'
import { checkConfig, checkModules } from '../doctor/config.ts'
import { checkDoNotDisturb } from '../doctor/desktop.ts'
import { checkCommands, checkDoor } from '../doctor/door.ts'
import { fixSafely } from '../doctor/fix.ts'
import { checkProject } from '../doctor/project.ts'
import { checkReach } from '../doctor/reach.ts'
import { checkSilence } from '../doctor/silence.ts'
import { checkSpool } from '../doctor/spool.ts'
import { checkSystem } from '../doctor/system.ts'
import { HookbellError } from '../errors.ts'
import { cleanText } from '../text/clean.ts'
import { counted } from '../text/counted.ts'
import { gatherFacts } from './doctor/facts.ts'
import { checkHub } from './doctor/hub.ts'

export const doctorCommand = defineCommand({
  args: {
    fix: { type: 'boolean', description: 'Make the repairs that are safe, and list them' },
    offline: { type: 'boolean', description: 'Open no connection to the servers of channels' },
    verbose: { type: 'boolean', description: 'Also what is in order, and what cannot be told' },
    json: { type: 'boolean', description: 'Print JSON of all checks' },
  },
  async run({ args }) {
    const first = await examine(args)
    const fixed = args.fix ? await fixSafely(first.checks, first.facts, renew) : []
    const { checks } = fixed.length > 0 ? await examine(args) : first
    if (args.json) printJson({ checks, fixed })
    else say([...fixed.map((one) => `fixed: ${one}`), report(checks, args.verbose)].join('\n'))
    return exitCode(checks)
  },
})

/** @returns false if it cannot be written. The reason is printed, because the checks that follow may not show it. */
async function renew(): Promise<boolean> {
  const { installFrontDoor } = await import('../install/front-door.ts')
  try {
    await installFrontDoor({ stateDir: stateDir() })
    return true
  } catch (error) {
    if (!(error instanceof HookbellError)) throw error
    reportError(error)
    return false
  }
}

async function examine({
  offline,
}: {
  offline?: boolean
}): Promise<{ checks: Check[]; facts: Facts }> {
  const facts = await gatherFacts()
  const registered = readAll(facts).filter(({ hooks }) => hooks.length > 0)
  // Before the registered commands are tried: a worker that they start may repair a folder.
  const spool = checkSpool(facts)
  const commands = await checkCommands(registered, facts)
  const checks = [
    ...checkClients(facts),
    ...checkDoor(facts, registered.length > 0),
    ...commands,
    ...checkSilence(facts),
    ...spool,
    ...checkConfig(facts),
    ...(await checkModules(facts)),
    ...(offline ? [] : [...(await checkReach(facts)), ...(await checkHub(facts))]),
    ...(await checkProject(facts)),
    ...(await checkSystem(facts)),
    ...(await checkDoNotDisturb(facts)),
  ]
  return { checks, facts }
}

/** The verdict, what is wrong, on demand the rest, and the verdict again: the end is what a terminal shows. */
function report(checks: readonly Check[], isVerbose: boolean | undefined): string {
  const faults = [...withStatus(checks, 'broken'), ...withStatus(checks, 'warning')].filter(
    isNoResult,
  )
  const others = [...withStatus(checks, 'cannot tell'), ...withStatus(checks, 'ok')]
  const rows = [...faults, ...(isVerbose ? others : [])]
  const verdict = verdictOf(faults, others)
  if (rows.length === 0) return verdict
  return [verdict, table(rows.flatMap((one, at) => describe(one, rows[at + 1]))), verdict].join(
    '\n\n',
  )
}

/** One line: all is well, or the one thing to do first. */
function verdictOf([first, ...more]: readonly Check[], others: readonly Check[]): string {
  const rest = `${counted(others.length, 'other check')}: --verbose`
  if (!first) return `${paint('green', 'All is well')}, as far as can be told. ${rest}`
  const what = cleanText(asTyped(first.do || first.seen))
  const word = first.status === 'broken' ? 'Not working' : 'To look at'
  const count = more.length > 0 ? ` (and ${more.length} more)` : ''
  return `${paint(colours[first.status], word)}: ${first.id}${count}. First: ${what}`
}

/** Whether a fault has a row of its own: one that only repeats what another says is its result, such as in a channel. */
function isNoResult({ status, seen }: Check, _: number, all: readonly Check[]): boolean {
  return !all.some((other) => {
    return other.status === status && other.seen !== seen && seen.includes(`: ${other.seen}`)
  })
}

function withStatus(checks: readonly Check[], status: CheckStatus): Check[] {
  return checks.filter((one) => one.status === status)
}

const colours = { ok: 'green', warning: 'yellow', broken: 'red', 'cannot tell': 'dim' } as const

/** What to do about several faults in a row, such as a network that is down, is said once, below the last. */
function describe({ id, status, seen, do: what }: Check, next: Check | undefined): string[][] {
  const line = [paint(colours[status], status), `${id}: ${cleanText(seen)}`]
  const isSaidBelow = next?.do === what && next.status === status
  if (status === 'ok' || what === '' || isSaidBelow) return [line]
  return [line, ['', cleanText(asTyped(what))]]
}

/** 0: nothing is wrong as far as can be told; 1: something should be looked at; 2: something does not work. */
function exitCode(checks: readonly Check[]): number {
  const has = (status: CheckStatus) => checks.some((one) => one.status === status)
  if (has('broken')) return 2
  return has('warning') ? 1 : 0
}
