import type { ArgDef, ArgsDef, CommandDef } from 'citty'
import { paint, table } from './output.ts'

/** What a command is for, how it is called, and its options: as a page for a person. */
export function renderHelp(command: CommandDef): string {
  const { name = '', description = '' } = Object(command.meta) as Record<string, string>
  const args = Object.entries((command.args ?? {}) as ArgsDef)
  // One without a description has been given already: the endpoint of `api`.
  const words = args.filter(([, { type, description: text }]) => type === 'positional' && text)
  const options = args.filter(([, { type }]) => type !== 'positional')
  const parts = [
    ...(options.length > 0 ? ['[OPTIONS]'] : []),
    ...words.map(([word, { required }]) => wordName(word, required)),
  ]
  const sections = [
    description,
    `${paint('bold', 'Usage:')} ${['hookbell', name, ...parts].join(' ')}`,
    table(words.map(([word, arg]) => [`  ${word.toUpperCase()}`, describe(arg)])),
    table(options.map(([option, arg]) => [`  ${optionName(option, arg)}`, describe(arg)])),
  ]
  return sections.filter(Boolean).join('\n\n')
}

function wordName(word: string, isRequired = true): string {
  return isRequired ? word.toUpperCase() : `[${word.toUpperCase()}]`
}

function optionName(option: string, arg: ArgDef): string {
  const { valueHint = 'TEXT' } = arg as { valueHint?: string }
  return paint('bold', `--${option}`) + (arg.type === 'boolean' ? '' : ` ${valueHint}`)
}

function describe({ description = '', default: value, type }: ArgDef): string {
  return value === undefined || type === 'boolean'
    ? description
    : `${description} (default ${value})`
}
