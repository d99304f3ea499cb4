import type { ArgsDef, CommandDef } from 'citty'

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof shells)[number]

/** What can follow a command on the command line. */
interface Completable {
  name: string
  description: string
  /** Such as `--json`. */
  options: readonly { name: string; description: string }[]
  /** Possible values of its first argument; empty if it takes any text. */
  choices: readonly string[]
}

/** Reads the declaration that the help and the check of flags use too, so that all three agree. */
export function completableOf(name: string, command: CommandDef, description: string): Completable {
  const args = Object.entries((command.args ?? {}) as ArgsDef)
  const options = args
    .filter(([, { type }]) => type !== 'positional')
    .map(([option, arg]) => ({ name: `--${option}`, description: arg.description ?? '' }))
  const first = args.find(([, { type }]) => type === 'positional')?.[1]
  // Only a hint with bars, such as `show|edit|check`, lists all possible values.
  const { valueHint = '' } = (first ?? {}) as { valueHint?: string }
  const choices = valueHint.includes('|') ? valueHint.split('|') : []
  return { name, description, options: [...options, HELP], choices }
}

const HELP = { name: '--help', description: 'Show what it does' }

/** Renders a completion script. It contains every word it needs, so that completing starts no process. */
export function renderCompletion(shell: Shell, commands: readonly Completable[]): string {
  return { bash, zsh, fish, powershell }[shell](commands)
}

function bash(commands: readonly Completable[]): string {
  return `# hookbell completion for bash: source <(hookbell completion bash)
_hookbell() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${commands.map(({ name }) => name).join(' ')}'
  else
    case "\${COMP_WORDS[1]}:$COMP_CWORD" in
${commands.flatMap(bashCases).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _hookbell hookbell`
}

function bashCases({ name, choices, options }: Completable): string[] {
  const flags = options.map((option) => option.name)
  const line = (pattern: string, words: readonly string[]) =>
    `      ${pattern}) words='${words.join(' ')}' ;;`
  return [
    ...(choices.length > 0 ? [line(`${name}:2`, [...choices, ...flags])] : []),
    line(`${name}:*`, flags),
  ]
}

function zsh(commands: readonly Completable[]): string {
  const list = (words: readonly { name: string; description: string }[]) =>
    words
      .map(({ name, description }) => quoted(`${name.replaceAll(':', '\\:')}:${description}`))
      .join(' ')
  const cases = commands.map(({ name, choices, options }) => {
    const first = choices.map((choice) => ({ name: choice, description: name }))
    const firstly = first.length > 0 ? `((CURRENT == 3)) && known+=(${list(first)}); ` : ''
    return `      ${name}) ${firstly}known+=(${list(options)}) ;;`
  })
  return `#compdef hookbell
# hookbell completion for zsh: source <(hookbell completion zsh)
_hookbell() {
  local -a known
  known=()
  if ((CURRENT == 2)); then
    known=(${list(commands)})
  else
    case $words[2] in
${cases.join('\n')}
    esac
  fi
  _describe -t commands hookbell known
}
compdef _hookbell hookbell`
}

function fish(commands: readonly Completable[]): string {
  const lines = commands.flatMap(({ name, description, choices, options }) => [
    `complete -c hookbell -n __fish_use_subcommand -f -a ${name} -d ${quoted(description)}`,
    ...(choices.length > 0
      ? [
          `complete -c hookbell -n '__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${choices.join(' ')}' -f -a '${choices.join(' ')}'`,
        ]
      : []),
    ...options.map(
      (option) =>
        `complete -c hookbell -n '__fish_seen_subcommand_from ${name}' -l ${option.name.slice(2)} -d ${quoted(option.description)}`,
    ),
  ])
  return ['# hookbell completion for fish: hookbell completion fish | source', ...lines].join('\n')
}

function powershell(commands: readonly Completable[]): string {
  const list = (words: readonly string[]) => `@(${words.map((word) => `'${word}'`).join(', ')})`
  const rows = commands.map(
    ({ name, choices, options }) =>
      `    '${name}' = ${list([...choices, ...options.map((option) => option.name)])}`,
  )
  return `# hookbell completion for PowerShell: hookbell completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName hookbell -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $commands = [ordered]@{
${rows.join('\n')}
  }
  $words = @($commandAst.CommandElements | ForEach-Object { $_.ToString() })
  $isFirst = $words.Count -lt 2 -or ($words.Count -eq 2 -and $wordToComplete -ne '')
  $known = if ($isFirst) { $commands.Keys } else { $commands[$words[1]] }
  $known | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}`
}

/** Quotes for zsh and fish. They escape differently, so what needs escaping is dropped or replaced. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '').replaceAll("'", '’')}'`
}
