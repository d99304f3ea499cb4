import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describeError, HookbellError, pathFault } from '../errors.ts'
import { type Kind, kinds } from '../event/event.ts'
import { oneLine } from '../text/clean.ts'
import { closest, didYouMean } from '../text/suggest.ts'
import { type Format, fill, formats, namesIn, readTemplate } from './templates.ts'
import { valueNames } from './values.ts'

/** Backup files of editors and of people. */
const LEFT_OVER = /^\.|~$|\.(bak|old|orig)$/i

const sampleValues = Object.fromEntries(valueNames.map((name) => [name, 'x']))

/**
 * Problems of the user's own templates, each with what to do about it.
 * @param named the templates that routes name, besides those of kinds
 */
export function templateProblems(configDir: string, named: readonly string[] = []): string[] {
  const folder = join(configDir, 'templates')
  return namesOf(folder).flatMap((name) => {
    const path = join(folder, name)
    if (isTemplate(name)) return [`${path}: not used. Put it into a folder: ${formats.join(', ')}`]
    const inside = namesOf(path).filter(isTemplate)
    if (inside.length === 0 || isFormat(name))
      return inside.flatMap((file) => problemOf(path, name, file, named))
    return [`${path}: not used, no format is called "${name}". ${didYouMean(name, formats)}`]
  })
}

function problemOf(
  folder: string,
  format: Format,
  file: string,
  named: readonly string[],
): string[] {
  const path = join(folder, file)
  const isUsed = [...kinds, ...named].some((one) => `${one}.liquid` === file)
  if (!isUsed) return [`${path}: not used. ${rightName(file)}`]
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat?.isFile()) return [`${path}: not used, it is not a file`]
    const text = readTemplate(path) ?? ''
    fill(format, text, sampleValues)
    return namesIn(format, text)
      .filter((name) => !Object.hasOwn(sampleValues, name))
      .map((name) => `${path}: no value is called "${name}". ${meantValue(name)}`)
  } catch (error) {
    if (error instanceof HookbellError)
      return [
        `${error.message}; the built-in template is used until it is fixed. ${error.hint ?? ''}`.trimEnd(),
      ]
    const what = oneLine(pathFault(error)?.what ?? describeError(error))
    return [`${path}: ${what}. The built-in template is used until it is fixed`]
  }
}

function rightName(file: string): string {
  const stem = file.split('.')[0] ?? ''
  const meant = isKind(stem) ? stem : closest(stem, kinds)
  if (meant) return `Did you mean "${meant}.liquid"?`
  return `No route names it as its template, and it is none of: ${kinds.join(', ')}`
}

function meantValue(name: string): string {
  return didYouMean(name, valueNames)
}

/** Whether a file is meant as a template. Other files in the folder are none of our business. */
function isTemplate(name: string): boolean {
  return !LEFT_OVER.test(name) && (/\.liquid$/i.test(name) || isKind(name.split('.')[0] ?? ''))
}

function isKind(word: string): word is Kind {
  return (kinds as readonly string[]).includes(word)
}

function isFormat(word: string): boolean {
  return formats.includes(word)
}

/** Empty if the folder does not exist or cannot be read. */
function namesOf(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}
