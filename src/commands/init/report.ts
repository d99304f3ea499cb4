import { asTyped } from '../../cli/how-to-call.ts'
import type { Applied } from '../../install/apply.ts'
import type { Plan } from '../../install/edit/plan.ts'
import { commandOf, planTarget } from '../../install/plan-target.ts'
import type { Target } from '../../install/target.ts'
import { showPath } from '../../text/clean.ts'
import { counted } from '../../text/counted.ts'

/** A settings file and its planned change. */
export interface Change {
  target: Target
  /** Where the file was when it was looked at. */
  realPath: string
  plan(text: string): Plan
  preview: Plan
  diff: string
  notes: string[]
}

export type AppliedChange = Applied & { change: Change }

interface Form {
  json?: boolean | undefined
}

/** The settings that `init --print` shows, for people who keep theirs elsewhere. */
export function printed(targets: readonly Target[], door: string, { json }: Form): string {
  const texts = targets.map((target) => {
    return { ...factsOf({ target, notes: [] }, door), text: planTarget(target, door)('').text }
  })
  if (json) return toJson({ door, places: texts })
  return texts.map(({ path, text }) => (texts.length > 1 ? `// ${path}\n${text}` : text)).join('\n')
}

/** What a run would do to each file, for programs. */
export function plannedPlaces(changes: readonly Change[], door: string) {
  return changes.map((change) => {
    const { preview, diff } = change
    return { ...factsOf(change, door), changed: preview.changed, written: false, diff }
  })
}

/** The same for people. */
export function previewed(changes: readonly Change[]): string {
  const texts = changes.map(({ target, preview, diff }) =>
    preview.changed ? diff : nothingToDo(target),
  )
  const notes = changes.map((change) => lines('Note', change.notes) + absence(change.target))
  return [texts.join('\n'), ...notes].join('')
}

export function factsOf({ target, notes }: Pick<Change, 'target' | 'notes'>, door: string) {
  const { client, scope, file, events, isAbsent } = target
  const command = client.entries === 'plugin' ? door : commandOf(target, door)
  return { client: client.name, scope, path: file.path, events, command, found: !isAbsent, notes }
}

/** Names the hooks that a file is to get, without the text of the change. */
export function summaryOf({ target, notes }: Pick<Change, 'target' | 'notes'>): string {
  const { client, file, events } = target
  const count = counted(events.length, 'hook')
  const line = `${showPath(file.path)}: ${count} for ${client.title} (${events.join(', ')})\n`
  return line + lines('Note', notes)
}

interface ReportFacts {
  door: string
  /** A line for each other file that was written. */
  setup: string
  next: readonly string[]
  areNotesNew: boolean
}

export function report(
  applied: readonly AppliedChange[],
  { door, setup, next, areNotesNew }: ReportFacts,
): string {
  const written = applied.filter(({ changed }) => changed)
  const texts = applied.map(({ change: { target, notes }, changed, created, backup }) => {
    const shown = (areNotesNew || !changed ? lines('Note', notes) : '') + absence(target)
    if (!changed) return nothingToDo(target) + shown
    const { file, events } = target
    const copy = backup ? showPath(backup) : `none, the file is ${created ? 'new' : 'ours'}`
    return `Wrote ${showPath(file.path)}: ${events.join(', ')}\nBackup: ${copy}\n${shown}`
  })
  const renewed = written.length === 0 ? renewal(door) : ''
  const steps = next.map(asTyped)
  const todo = steps.length > 0 ? `Next: ${steps.join('\n      ')}\n` : ''
  return [...texts, setup.replaceAll(/^(?!Note: )(?=.)/gm, 'Wrote '), renewed, todo].join('')
}

/** For the clients whose settings have changed. */
export function restartNotes(applied: readonly AppliedChange[]): string[] {
  const written = applied.filter(({ changed }) => changed)
  return [...new Set(written.map(({ change }) => change.target.client.restartNote))]
}

function absence({ client, isAbsent }: Target): string {
  if (!isAbsent) return ''
  const programs = client.programs.join(' or ')
  return `Note: ${client.title} was not found here: neither its folder nor ${programs} on the PATH\n`
}

function renewal(door: string): string {
  return `Renewed: ${showPath(door)} and what it runs, from this version\n`
}

function nothingToDo({ client, file }: Target): string {
  return `Nothing to do: ${showPath(file.path)} has the hooks for ${client.title} already.\n`
}

export function lines(label: string, texts: readonly string[]): string {
  return texts.map((text) => `${label}: ${showPath(text)}\n`).join('')
}

export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
