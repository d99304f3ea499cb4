import type { ArgDef, ArgsDef, CommandDef } from 'citty'
import { usageError } from '../errors.ts'
import { closest } from '../text/suggest.ts'
import { PIPE_IT, PUT_KEY } from './key-help.ts'

/**
 * Rejects unknown options and surplus arguments. citty accepts any, and a mistyped `--dry-run` must not run for real.
 * @throws HookbellError E_USAGE
 */
export function checkFlags(command: CommandDef, words: readonly string[]) {
  const { name = '' } = Object(command.meta) as { name?: string }
  const args = (command.args ?? {}) as ArgsDef
  const options = Object.keys(args).filter((option) => args[option]?.type !== 'positional')
  const known = options.map((option) => `--${option}`)
  const help = known.length > 0 ? `Options: ${known.join(' ')}` : 'It takes no options'
  // Endpoints of `api` take only options; elsewhere the usual cause is a text without quotes.
  const takesText = Object.keys(args).length > options.length && !name.startsWith('api ')
  const what = takesText ? 'Put quotes around text with spaces' : 'It takes no arguments'
  const hint = known.length > 0 || takesText ? `${what}. ${help}` : what
  let positionals = Object.keys(args).length - options.length
  // After `--`, no word is an option.
  let hasEnded = false
  const given = new Map<string, string>()
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (word === '--' && !hasEnded) {
      hasEnded = true
      continue
    }
    if (hasEnded || !word.startsWith('-') || word === '-') {
      positionals -= 1
      if (positionals < 0) throw tooMany(name, word, hint)
      continue
    }
    const [flag = '', value] = word.split('=', 2)
    if (isSecretFlag(flag)) throw secretInArguments(name, PUT_KEY)
    if (!known.includes(flag)) throw unknownOption(name, flag, known, help)
    const isSwitch = args[flag.slice(2)]?.type === 'boolean'
    // citty reads --yes=no as yes.
    if (isSwitch && value !== undefined) throw usageError(`${name}: ${flag} takes no value`, help)
    if (isSwitch) continue
    if (value === undefined) {
      at += 1
      refuseMissing(words[at], flag, { name, known, help })
    }
    const [before, now] = [given.get(flag), value ?? words[at] ?? '']
    if (before !== undefined) throw givenTwice(name, flag, args[flag.slice(2)], [before, now])
    given.set(flag, now)
  }
}

/** citty would take the last value and drop the others without a word. */
function givenTwice(name: string, flag: string, option: ArgDef | undefined, values: string[]) {
  const isList = option?.description?.includes('commas')
  const different = [...new Set(values.filter((value) => value !== ''))]
  const together = isList && different.length > 1
  const hint = together ? `Give them together: ${flag} ${different.join(',')}` : 'Give it once'
  return usageError(`${name}: ${flag} was given twice`, hint)
}

function tooMany(name: string, word: string, hint: string) {
  // The surplus word is most likely the secret itself, so the message does not repeat it.
  if (name === 'secrets') return secretInArguments(name, PIPE_IT)
  return usageError(`${name}: too many arguments: "${word}"`, hint)
}

function unknownOption(name: string, flag: string, known: readonly string[], help: string) {
  const meant = closest(flag, known)
  const hint = meant ? `Did you mean "${meant}"? ${help}` : help
  return usageError(`${name}: unknown option "${flag}"`, hint)
}

/** @param next the word after the option, in the place of its value */
function refuseMissing(
  next: string | undefined,
  flag: string,
  { name, known, help }: { name: string; known: readonly string[]; help: string },
) {
  const message = `${name}: ${flag} needs a value`
  if (next === undefined) throw usageError(message, help)
  // The value was most likely an unset variable of a script.
  if (known.includes(next.split('=')[0] ?? ''))
    throw usageError(message, `If "${next}" is the value: ${flag}=${next}`)
}

/** Whether the value of an option with this name would be a secret. */
export function isSecretFlag(flag: string): boolean {
  return /^--(api-?key|key|token|jwt|password|secret)$/i.test(flag)
}

function secretInArguments(name: string, hint: string) {
  return usageError(
    `${name}: no secret is taken from the command line, where others can read it`,
    hint,
  )
}
