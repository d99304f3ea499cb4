import type { ArgsDef, CommandDef } from 'citty'
import { usageError } from '../errors.ts'

const KEY_HELP = 'Put the API key into the environment variable HOOKBELL_API_KEY'

/**
 * citty takes any word; a person who mistypes `--dry-run` must not get the real thing.
 * @throws HookbellError E_USAGE
 */
export function checkWords(name: string, command: CommandDef, words: readonly string[]) {
  const args = (command.args ?? {}) as ArgsDef
  const flags = Object.entries(args).filter(([, arg]) => arg.type !== 'positional')
  const known = flags.map(([flag]) => `--${flag}`)
  const help = known.length > 0 ? `Options: ${known.join(' ')}` : 'It takes no options'
  let positionals = Object.keys(args).length - flags.length
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (word === '--') return
    if (!word.startsWith('-') || word === '-') {
      positionals -= 1
      if (positionals < 0)
        throw usageError(`${name}: too many arguments: "${word}"`, tooMany(name, help))
      continue
    }
    const [flag = '', value] = word.split('=', 2)
    if (/^--(api-?key|key|token|jwt|password|secret)$/i.test(flag)) {
      throw usageError(
        `${name}: no secret is taken from the command line, where others can read it`,
        KEY_HELP,
      )
    }
    if (!known.includes(flag)) throw usageError(`${name}: unknown option "${flag}"`, help)
    if (args[flag.slice(2)]?.type === 'boolean') {
      if (value === undefined) continue
      // citty reads --yes=no as yes.
      throw usageError(`${name}: ${flag} takes no value`, help)
    }
    if (value !== undefined) continue
    at += 1
    if (words[at] === undefined) throw usageError(`${name}: ${flag} needs a value`, help)
  }
}

/** An endpoint takes options alone; elsewhere it is mostly a text without quotes. */
function tooMany(name: string, help: string): string {
  return name.startsWith('api ') ? help : `Put quotes around text with spaces. ${help}`
}
