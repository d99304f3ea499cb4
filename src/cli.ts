import { type CommandDef, runCommand } from 'citty'
import { checkWords } from './cli/check-flags.ts'
import { exitCodeOf, reportError } from './cli/errors.ts'
import { renderHelp } from './cli/help.ts'
import { print } from './cli/output.ts'
import { commands, showCommands } from './commands/index.ts'

process.exitCode = await main(process.argv.slice(2))

/** Argv to an exit code. Only the command that is asked for is loaded. */
async function main([name = '', ...words]: string[]): Promise<number> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader such as `head` that has seen enough is no fault. A full disk is one: what was asked for is not there.
    if (error.code === 'EPIPE') process.exit(0)
    reportError(error, name)
    process.exit(exitCodeOf(error))
  })
  try {
    if (['', 'help', '-h', '--help'].includes(name)) return showCommands()
    if (['-v', '--version'].includes(name)) return showCommands('version')
    const command: CommandDef = await commands.find(name, words)
    const { name: fullName = name } = Object(command.meta) as { name?: string }
    if (words.includes('--help') || words.includes('-h')) {
      print(renderHelp(command))
      return 0
    }
    checkWords(fullName, command, words)
    const { result } = await runCommand(command, { rawArgs: words })
    return typeof result === 'number' ? result : 0
  } catch (error) {
    reportError(error, name)
    return exitCodeOf(error)
  }
}
