import { stripVTControlCharacters } from 'node:util'
import { exitCodes } from '../../src/cli/errors.ts'
import { renderHelp } from '../../src/cli/help.ts'
import { loadAll } from '../../src/commands/index.ts'

/** The help of every command, as `hookbell COMMAND --help` prints it. */
export async function commandsPage(): Promise<string> {
  const all = await loadAll()
  const sections = all.map(({ name, command }) => {
    const help = stripVTControlCharacters(renderHelp(command, 100)).trimEnd()
    return `## ${name}\n\n\`\`\`text\n${help}\n\`\`\`\n`
  })
  return `${HEAD}${exitCodeRows()}\n${sections.join('\n')}`
}

const meanings: { [exitCode: number]: string } = {
  0: 'success',
  1: 'it found a problem, as `status` does, or did only a part',
  64: 'wrong usage',
  65: 'the input is invalid, such as a payload for `preview`',
  69: 'a channel, a server or a program is not available',
  70: 'a fault in hookbell',
  73: 'the state folder cannot be used',
  74: 'another file cannot be read or written',
  76: 'the API sent a response that cannot be understood',
  77: 'not permitted',
  78: "the configuration, a template or a client's settings are invalid",
  130: 'ended by Ctrl+C',
}

/** @throws Error if an exit code has no meaning here, or the other way round */
function exitCodeRows(): string {
  const used = new Set([0, 70, 74, ...Object.values(exitCodes)])
  const known = Object.keys(meanings).map(Number)
  const differing = [...used]
    .filter((code) => !known.includes(code))
    .concat(known.filter((code) => !used.has(code)))
  if (differing.length > 0) throw new Error(`exit codes and their meanings differ: ${differing}`)
  return known.map((code) => `| ${code} | ${meanings[code]} |\n`).join('')
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

With \`--json\`, stdout holds JSON alone: one value, or one per line where the help says so. Times are in Unix ms, and members may
be added. An error is one line of JSON on stderr, \`{"error": {"code", "message", "hint"}}\`: \`code\` is \`E_USAGE\`, \`E_CONFIG\`
and the like, that of the system (\`ENOSPC\`) where a system call failed, or \`E_BUG\`; \`others\` has further errors of the same
form, and \`cause\` [what the client of the API knows](api.md#from-the-shell). Exit codes are the same.

\`hookbell hook\` is [the front door](front-door.md): agents call it, and it always exits 0. All other commands exit with one
of these codes; [\`doctor\`](doctor.md) and [the commands of the API](api.md#from-the-shell) have some more:

| exit code | meaning |
|---|---|
`
