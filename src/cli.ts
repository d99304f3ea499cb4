import { runCommand } from 'citty'
import { checkFlags } from './cli/check-flags.ts'
import { exitCodeOf, reportError } from './cli/errors.ts'
import { renderCommands, renderGroups, renderHelp } from './cli/help.ts'
import { print } from './cli/output.ts'
import { descriptions, findCommand, groupedCommands } from './commands/index.ts'
import { packageVersion } from './version.ts'

// No top-level await: the program is built as CommonJS, which starts faster.
main(process.argv.slice(2)).then(endWith)

/** Runs a command line and returns its exit code. Only the command that is asked for is loaded. */
async function main([name = '', ...words]: string[]): Promise<number> {
  try {
    if (['-v', '--version'].includes(name)) return show(packageVersion())
    if (['', 'help', '-h', '--help'].includes(name)) return await showHelp(words)
    if (name === '--all') return await showHelp([name])
    if (asksForHelp(words)) return await showHelp([name, ...words])
    return await run(name, words)
  } catch (error) {
    reportError(error, name, words)
    return exitCodeOf(error)
  }
}

/** Words after `--` are text, not options. */
function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  const options = end < 0 ? words : words.slice(0, end)
  return options.includes('--help') || options.includes('-h')
}

async function showHelp([name = '', ...words]: readonly string[]): Promise<number> {
  const isVerb = name !== '' && !name.startsWith('-')
  const version = packageVersion()
  if (name === '--all') return show(renderCommands(descriptions, { version }))
  if (!isVerb) return show(renderGroups(groupedCommands, { version }))
  return show(renderHelp(await findCommand(name, words)))
}

async function run(name: string, words: string[]): Promise<number> {
  const command = await findCommand(name, words)
  checkFlags(command, words)
  const { result } = await runCommand(command, { rawArgs: words })
  return typeof result === 'number' ? result : 0
}

function show(text: string): 0 {
  print(text)
  return 0
}

/** Sets the exit code, and ends the process unless something is under way, such as output. */
function endWith(exitCode: number) {
  process.exitCode = exitCode
  // If Node.js waited for events, V8 would collect garbage first.
  if (process.getActiveResourcesInfo().length === 0) process.exit()
}
