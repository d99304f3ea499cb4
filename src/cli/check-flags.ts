import type { ArgsDef, CommandDef } from 'citty'
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
  const options = Object.entries(args).filter(([, arg]) => arg.type !== 'positional')
  const known = options.map(([option]) => `--${option}`)
  const help = known.length > 0 ? `Options: ${known.join(' ')}` : 'It takes no options'
  let positionals = Object.keys(args).length - options.length
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (word === '--') return
    if (!word.startsWith('-') || word === '-') {
      positionals -= 1
      if (positionals >= 0) continue
      // The surplus word is most likely the secret itself, so the message does not repeat it.
      if (name === 'secrets') throw secretInArguments(name, PIPE_IT)
      throw usageError(`${name}: too many arguments: "${word}"`, hintForTooMany(name, help))
    }
    const [flag = '', value] = word.split('=', 2)
    if (isSecretFlag(flag)) throw secretInArguments(name, PUT_KEY)
    if (!known.includes(flag)) {
      const meant = closest(flag, known)
      const hint = meant ? `Did you mean "${meant}"? ${help}` : help
      throw usageError(`${name}: unknown option "${flag}"`, hint)
    }
    if (args[flag.slice(2)]?.type === 'boolean') {
      if (value === undefined) continue
      // citty reads --yes=no as yes.
      throw usageError(`${name}: ${flag} takes no value`, help)
    }
    if (value !== undefined) continue
    at += 1
    const next = words[at]
    const needed = `${name}: ${flag} needs a value`
    if (next === undefined) throw usageError(needed, help)
    // The value was most likely an unset variable of a script.
    if (known.includes(next.split('=')[0] ?? ''))
      throw usageError(needed, `If "${next}" is the value: ${flag}=${next}`)
  }
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

/** Endpoints of `api` take only options; elsewhere the usual cause is a text without quotes. */
function hintForTooMany(name: string, help: string): string {
  return name.startsWith('api ') ? help : `Put quotes around text with spaces. ${help}`
}
