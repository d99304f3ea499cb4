import { HookbellError } from '../../errors.ts'
import { applyPlan } from '../../install/apply.ts'
import { readSettings, whereIs } from '../../install/file.ts'
import { rememberPlace } from '../../install/places.ts'
import { readRegistered } from '../../install/registered.ts'
import { placeOf } from './plan.ts'
import type { AppliedChange, Change } from './report.ts'

/** If one file fails, what was written before it stays written, and the error lists it. */
export function applyAll(
  changes: readonly Change[],
  { state, before }: { state: string; before: readonly string[] },
): AppliedChange[] {
  const done: AppliedChange[] = []
  for (const change of changes) {
    const { target, plan } = change
    const { file, scope } = target
    const isShared = scope === 'project'
    const guard = (path: string) => {
      target.guard?.(path)
      refuseMoved(change)
    }
    try {
      const applied = applyPlan({ path: file.path, isShared, stateDir: state, plan, guard })
      done.push({ ...applied, change })
    } catch (error) {
      throw withWritten(error, before, done)
    }
    const place = placeOf(target)
    const events = [...new Set(readRegistered(place).hooks.map(({ event }) => event))]
    rememberPlace(state, { ...place, events })
  }
  return done
}

/** The person agreed to a change of the file that was there then, not of another one. */
function refuseMoved({ target: { file }, realPath }: Change) {
  if (whereIs(file.path) === realPath) return
  throw new HookbellError('E_SETTINGS', `${file.path}: this leads to another file than before`, {
    hint: 'A link was put there while init ran. Look at it, then run init again',
  })
}

function withWritten(
  error: unknown,
  before: readonly string[],
  done: readonly AppliedChange[],
): unknown {
  if (!(error instanceof HookbellError)) return error
  const settings = done.filter(({ changed }) => changed).map(({ change }) => change)
  const paths = [...before, ...settings.map(({ target }) => target.file.path)].join(', ')
  const why = error.hint?.replace(/\.? ?Nothing was written$/, '')
  const hint = `${why ? `${why}. ` : ''}Written before that: ${paths}`
  return new HookbellError(error.code, error.message, { hint, cause: error })
}

/** @throws HookbellError if a running session has written its old settings back */
export function refuseUndone({ target: { file }, plan }: Change): void {
  const { path } = file
  if (!plan(readSettings(path).text).changed) return
  throw new HookbellError('E_FAILED', `${path}: the hooks were removed again`, {
    hint: 'A running session wrote its old settings back: end all sessions, then run init again',
  })
}
