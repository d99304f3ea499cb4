import type { ArgDef, ArgsDef, CommandDef } from 'citty'
import { paint, table, terminalWidth } from './output.ts'
import { wrapText } from './wrap-text.ts'

/** Renders the help page of a command: what it is for, its usage and its options. */
export function renderHelp(command: CommandDef, width = terminalWidth()): string {
  const { name = '', description = '' } = Object(command.meta) as Record<string, string>
  const args = Object.entries((command.args ?? {}) as ArgsDef)
  // A positional without a description is already part of the command's name: the endpoint of `api`.
  const positionals = args.filter(([, arg]) => arg.type === 'positional' && arg.description)
  const options = args.filter(([, { type }]) => type !== 'positional')
  const parts = [
    ...(options.length > 0 ? ['[OPTIONS]'] : []),
    ...positionals.map(([positional, { required }]) => positionalName(positional, required)),
  ]
  const rows = (all: typeof args, label: (name: string, arg: ArgDef) => string) =>
    table(
      all.map(([one, arg]) => [`  ${label(one, arg)}`, describe(arg)] as const),
      width,
    )
  const sections = [
    wrapText(description, width),
    `${paint('bold', 'Usage:')} ${['hookbell', name, ...parts].join(' ')}`,
    rows(positionals, (positional) => positional.toUpperCase()),
    rows(options, optionName),
  ]
  return sections.filter(Boolean).join('\n\n')
}

/** The first page: the commands that most people need, by what they need them for. */
export function renderGroups(
  groups: readonly (readonly [title: string, names: readonly string[]])[],
  { version, width = terminalWidth() }: { version: string; width?: number | undefined },
): string {
  const rows = groups.map(
    ([title, names]) => [`  ${paint('bold', title)}`, names.join(', ')] as const,
  )
  return [
    wrapText(`hookbell ${version}: notifies you when your coding agent needs you`, width),
    'Usage: hookbell COMMAND [OPTIONS]',
    table(rows, width),
    wrapText(
      'hookbell COMMAND --help shows what a command is for; hookbell --all lists all commands.',
      width,
    ),
  ].join('\n\n')
}

/** The list of all commands. */
export function renderCommands(
  commands: readonly (readonly [name: string, description: string])[],
  { version, width = terminalWidth() }: { version: string; width?: number | undefined },
): string {
  const rows = commands.map(([name, description]) => [`  ${name}`, description] as const)
  return [
    wrapText(`hookbell ${version}: notifies you when your coding agent needs you`, width),
    'Usage: hookbell COMMAND [OPTIONS]',
    table(rows, width),
    wrapText('hookbell COMMAND --help shows the options of a command.', width),
  ].join('\n\n')
}

function positionalName(name: string, isRequired = true): string {
  return isRequired ? name.toUpperCase() : `[${name.toUpperCase()}]`
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
