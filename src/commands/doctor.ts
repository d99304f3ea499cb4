import { defineCommand } from 'citty'
import { reportError } from '../cli/errors.ts'
import { asTyped } from '../cli/how-to-call.ts'
import { paint, printJson, say, table } from '../cli/output.ts'
import { stateDir } from '../config/paths.ts'
import type { Check, CheckStatus, Facts } from '../doctor/check.ts'
import { checkClients, readAll } from '../doctor/clients.ts'
import { checkConfig } from '../doctor/config.ts'
import { checkDoNotDisturb } from '../doctor/desktop.ts'
import { checkCommands, checkDoor } from '../doctor/door.ts'
import { fixSafely } from '../doctor/fix.ts'
import { checkModules } from '../doctor/modules.ts'
import { checkProject } from '../doctor/project.ts'
import { checkReach } from '../doctor/reach.ts'
import { checkSilence } from '../doctor/silence.ts'
import { checkSpool } from '../doctor/spool.ts'
import { checkSystem } from '../doctor/system.ts'
import { HookbellError } from '../errors.ts'
import { cleanText } from '../text/clean.ts'
import { gatherFacts } from './doctor/facts.ts'
import { checkHub } from './doctor/hub.ts'

export const doctorCommand = defineCommand({
  args: {
    fix: { type: 'boolean', description: 'Make the repairs that are safe, and list them' },
    offline: { type: 'boolean', description: 'Open no connection to the servers of channels' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args }) {
    const first = await examine(args)
    const fixed = args.fix ? await fixSafely(first.checks, first.facts, renew) : []
    const { checks } = fixed.length > 0 ? await examine(args) : first
    if (args.json) printJson({ checks, fixed })
    else say([...fixed.map((one) => `fixed: ${one}`), table(checks.flatMap(describe))].join('\n'))
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

const colours = { ok: 'green', warning: 'yellow', broken: 'red', 'cannot tell': 'dim' } as const

function describe({ id, status, seen, do: what }: Check): string[][] {
  const line = [paint(colours[status], status), `${id}: ${cleanText(seen)}`]
  return status === 'ok' || what === '' ? [line] : [line, ['', cleanText(asTyped(what))]]
}

/** 0: nothing is wrong as far as can be told; 1: something should be looked at; 2: something does not work. */
function exitCode(checks: readonly Check[]): number {
  const has = (status: CheckStatus) => checks.some((one) => one.status === status)
  if (has('broken')) return 2
  return has('warning') ? 1 : 0
}
