import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { askYesNo } from '../../cli/ask.ts'
import { reportError } from '../../cli/errors.ts'
import { print } from '../../cli/output.ts'
import { readConfigText, replaceConfigText } from '../../config/config-file.ts'
import { configDir, configPath } from '../../config/paths.ts'
import { HookbellError, usageError } from '../../errors.ts'
import { makeFolders } from '../../fs/durable.ts'
import { targetOf } from '../../fs/links.ts'
import { checkFolder } from '../../fs/ownership.ts'
import { readQuietly } from '../../fs/read.ts'
import { splitLine } from '../../text/shell.ts'
import { asLine, checkText, problemsOf } from './check.ts'

const FIRST = `{
  // Every setting: hookbell config schema
  "channels": { "desktop": { "type": "desktop" } }
}
`

/**
 * Opens a copy of the configuration in the editor, and replaces the original only with a valid text.
 * @returns the exit code
 */
export async function editConfig(): Promise<number> {
  const editor = findEditor()
  checkFolder(configDir())
  const path = targetOf(configPath(configDir()))
  const before = readConfigText(path)
  makeFolders(dirname(path), 0o700)
  // In the same private folder, as it may hold secrets. It has the usual file name, so that the editor knows the type.
  const folder = mkdtempSync(join(dirname(path), '.edit-'))
  const copy = join(folder, 'config.json')
  const shown = before ?? FIRST
  writeFileSync(copy, shown, { mode: 0o600 })
  try {
    for (;;) {
      await runEditor(editor, copy)
      const after = readEdited(copy)
      if (after === shown) return say('Nothing was changed')
      const fault = faultIn(after, path)
      if (!fault) return await replace(path, { before, after })
      reportError(fault)
      if (!(await shallGoOn())) return notUsed()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function findEditor(): string[] {
  const words = splitLine(process.env.VISUAL || process.env.EDITOR || usualEditor())
  if (words?.[0]) return words
  throw usageError(
    'config edit: VISUAL or EDITOR is not a command',
    'Set it to a program and its arguments, such as: code --wait',
  )
}

function usualEditor(): string {
  if (process.platform === 'win32') return 'notepad'
  if (process.stdin.isTTY) return 'vi'
  throw usageError(
    'config edit: there is no terminal, and neither VISUAL nor EDITOR is set',
    `Run it in a terminal, or edit ${configPath(configDir())} and run: hookbell config check`,
  )
}

async function runEditor([program = '', ...words]: readonly string[], copy: string) {
  // On Windows it also finds a batch file, such as code.cmd.
  const { execa } = await import('execa')
  const options = { stdio: 'inherit', windowsHide: false, reject: false } as const
  const { exitCode, signal, originalMessage } = await execa(program, [...words, copy], options)
  if (exitCode === 0) return
  const end = signal ?? (exitCode !== undefined && `status ${exitCode}`)
  throw new HookbellError(
    'E_FAILED',
    end ? `${program} ended with ${end}` : `${program}: ${originalMessage}`,
    { hint: end ? 'The configuration is as it was' : 'Set VISUAL or EDITOR to your editor' },
  )
}

function readEdited(copy: string): string {
  const text = readQuietly(copy)
  if (text !== undefined) return text
  throw new HookbellError('E_FAILED', 'the editor left no file that can be read', {
    hint: 'The configuration is as it was',
  })
}

function faultIn(text: string, path: string): HookbellError | undefined {
  try {
    checkText(text, path)
    return undefined
  } catch (error) {
    if (error instanceof HookbellError) return error
    throw error
  }
}

async function replace(
  path: string,
  { before, after }: { before: string | undefined; after: string },
) {
  replaceConfigText(path, before, after)
  const loaded = checkText(after, path)
  for (const problem of await problemsOf(loaded)) print(asLine(problem, loaded))
  return say(`Saved: ${path}`)
}

async function shallGoOn(): Promise<boolean> {
  if (!process.stdin.isTTY) return false
  return await askYesNo('Edit again? [Y/n] ', { enterIsYes: true, output: process.stderr })
}

function notUsed(): number {
  print('The configuration is as it was')
  return 78
}

function say(text: string): 0 {
  print(text)
  return 0
}
