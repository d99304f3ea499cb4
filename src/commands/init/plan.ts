import { HookbellError } from '../../errors.ts'
import type { Env } from '../../fs/home.ts'
import { renderDiff } from '../../install/edit/diff.ts'
import { readSettings, whereIs } from '../../install/file.ts'
import { settingsNotes } from '../../install/notes.ts'
import type { HookPlace } from '../../install/places.ts'
import { findRenewals, planTarget } from '../../install/plan-target.ts'
import { readRegisteredText } from '../../install/registered.ts'
import type { Target } from '../../install/target.ts'
import type { Change } from './report.ts'

interface Place {
  /** The front door that hooks start. */
  door: string
  state: string
  env: Env
}

/** Plans all files before the first is written, so that a refusal leaves every file unchanged. */
export function planChanges(targets: readonly Target[], place: Place): Change[] {
  return [
    ...targets.map((target) => planChange(target, place)),
    ...findRenewals(place.state, targets).flatMap((target) => planRenewal(target, place)),
  ]
}

function planChange(target: Target, { door, env }: Place): Change {
  const { file } = target
  const plan = planTarget(target, door)
  const old = readSettings(file.path)
  const preview = plan(old.text)
  const realPath = whereIs(file.path)
  const diff = renderDiff(file.path, old.hash && old.text, preview.text)
  const notes = settingsNotes(target, { shape: preview.shape, links: old.links }, { env })
  const fault = readRegisteredText(placeOf(target), preview.text).fault
  const invalid = fault === undefined ? [] : [`${fault}: ${target.client.title} runs no hook of it`]
  return { target, realPath, plan, preview, diff, notes: [...notes, ...invalid] }
}

/** A file that was not chosen this time: no change if it is up to date or cannot be read. */
function planRenewal(target: Target, place: Place): Change[] {
  try {
    const change = planChange(target, place)
    return change.preview.changed ? [change] : []
  } catch (error) {
    if (error instanceof HookbellError) return []
    throw error
  }
}

export function placeOf({ name, client, scope, file: { path, shape } }: Target): HookPlace {
  const { entries } = client
  const form = entries === 'plugin' || entries === 'tables' ? entries : shape
  return { client: name, scope, path, form }
}
