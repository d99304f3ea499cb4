import { stripVTControlCharacters } from 'node:util'
import { renderHelp } from '../../src/cli/help.ts'
import { loadAll } from '../../src/commands/index.ts'

/** The help of every command, as `hookbell COMMAND --help` prints it. */
export async function commandsPage(): Promise<string> {
  const all = await loadAll()
  const sections = all.map(({ name, command }) => {
    const help = stripVTControlCharacters(renderHelp(command, 100)).trimEnd()
    return `## ${name}\n\n\`\`\`text\n${help}\n\`\`\`\n`
  })
  return `${HEAD}\n${sections.join('\n')}`
}

const HEAD = `# Commands

What \`hookbell COMMAND --help\` says of each, written by \`npm run gen\`. States have colours in a terminal, unless
\`NO_COLOR\` is set. Completion of commands and options:

| shell | once, in its start file |
|---|---|
| bash | \`source <(hookbell completion bash)\` |
| zsh | \`source <(hookbell completion zsh)\`, after \`compinit\` |
| fish | \`hookbell completion fish \\| source\` |
| PowerShell | \`hookbell completion powershell \\| Out-String \\| Invoke-Expression\` |
`
