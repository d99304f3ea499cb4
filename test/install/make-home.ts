import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import { clients } from '../../src/clients/index.ts'
import { hookCommand, hookEntry } from '../../src/install/hook-command.ts'
import { type Plan, planInstall } from '../../src/install/plan.ts'

/** A home directory with these files in it, until the test ends, or the suite that made it before its tests. */
export function makeHome(files: Record<string, string | Uint8Array> = {}): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'hookbell-home-')))
  cleanUp(() => rmSync(home, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), content)
  }
  return home
}

// Not once for the module: the next test file may get it as it is.
function cleanUp(remove: () => void) {
  try {
    onTestFinished(remove)
  } catch {
    afterAll(remove)
  }
}

/** Plans droid's hooks for a wrapped file, with a front door in `state`. */
export function makePlan(path: string, state = '/state'): (text: string) => Plan {
  const { droid } = clients
  const hook = hookEntry(droid, hookCommand(`${state}/hookbell-hook`, 'droid'))
  return (text) => planInstall(text, { path, shape: 'wrapped', events: droid.events, hook })
}
