import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import { clients } from '../../src/clients/index.ts'
import { type Plan, planInstall } from '../../src/install/edit/plan.ts'
import { hookCommand, hookEntry } from '../../src/install/hook-command.ts'

/** Creates a home directory with these files, removed after the test, or after the suite that created it. */
export function makeHome(files: Record<string, string | Uint8Array> = {}): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'hookbell-home-')))
  cleanUp(() => rmSync(home, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), content)
  }
  return home
}

// Registered per call: with a module-level hook, the next test file might get the module without it.
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
