import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { shells } from '../../src/cli/completion.ts'
import { makeHome } from '../support/home.ts'
import { shellQuote } from '../support/shell-quote.ts'

const has = (program: string) => spawnSync(program, ['--version']).status === 0

/** Writes the completion script of a shell to a file, and returns a way to run that shell. */
async function makeShell(shell: (typeof shells)[number]) {
  const home = await makeHome()
  const { stdout, stderr } = await home.run('completion', shell)
  expect(stderr).toBe('')
  const path = join(home.home, `hookbell.${shell}`)
  writeFileSync(path, `${stdout}\n`)
  const run = (program: string, args: string[]) => {
    const { stdout: out, stderr: errors } = spawnSync(program, args, {
      env: { ...home.env, TERM: 'dumb', HOME: home.home },
      encoding: 'utf8',
    })
    expect(errors).toBe('')
    return out.split('\n').filter(Boolean)
  }
  return { load: `source ${shellQuote(path)}`, run }
}

describe('hookbell completion', () => {
  it.skipIf(!has('bash'))('completes in a real bash', async () => {
    const { load, run } = await makeShell('bash')
    const complete = (...words: string[]) => {
      const line = words.map(shellQuote).join(' ')
      const script = `${load}; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _hookbell; printf '%s\\n' "\${COMPREPLY[@]}"`
      return run('bash', ['--norc', '-c', script])
    }
    expect(complete('hookbell', 'un')).toEqual(['uninstall', 'unmute'])
    expect(complete('hookbell', 'config', '')).toEqual([
      'show',
      'edit',
      'check',
      'schema',
      '--json',
      '--help',
    ])
    expect(complete('hookbell', 'config', 's')).toEqual(['show', 'schema'])
    expect(complete('hookbell', 'dead', 'retry', '--a')).toEqual(['--all'])
    expect(complete('hookbell', 'nope', '')).toEqual([])
    expect(run('bash', ['--norc', '-c', `${load}; complete -p hookbell`])).toEqual([
      'complete -o default -F _hookbell hookbell',
    ])
  })

  it.skipIf(!has('zsh'))('completes in a real zsh', async () => {
    const { load, run } = await makeShell('zsh')
    const complete = (current: number, words: string) => {
      // Stubs for what the line editor provides; `_describe` prints the candidates.
      const script = `compdef() { :; }; _describe() { print -l -- \${known%%:*}; }; ${load}; CURRENT=${current}; words=(${words}); _hookbell`
      return run('zsh', ['-f', '-c', script])
    }
    expect(complete(2, "hookbell ''")).toContain('secrets')
    expect(complete(3, "hookbell secrets ''")).toEqual([
      'list',
      'set',
      'unset',
      '--keychain',
      '--json',
      '--help',
    ])
    expect(complete(4, "hookbell secrets set ''")).toEqual(['--keychain', '--json', '--help'])
  })

  it.skipIf(!has('fish'))('completes in a real fish', async () => {
    const { load, run } = await makeShell('fish')
    const complete = (line: string) =>
      run('fish', ['--no-config', '-c', `${load}; complete -C '${line}'`]).map(
        (one) => one.split('\t')[0],
      )
    expect(complete('hookbell unm')).toEqual(['unmute'])
    expect(complete('hookbell secrets --k')).toEqual(['--keychain'])
    expect(complete('hookbell dead r')).toEqual(['retry'])
    expect(complete('hookbell dead retry l')).not.toContain('list')
  })

  it('prints a script for PowerShell', async () => {
    const home = await makeHome()
    const { stdout } = await home.run('completion', 'powershell')
    expect(stdout).toContain(
      "    'config' = @('show', 'edit', 'check', 'schema', '--json', '--help')",
    )
    expect(stdout).toContain('Register-ArgumentCompleter -Native -CommandName hookbell')
  })

  it.each([
    [['bahs'], 'Did you mean "bash"?'],
    [['tcsh'], 'Known: bash, zsh, fish, powershell'],
    [[], 'See: hookbell completion --help'],
  ])('suggests what to type after the arguments %j', async (words, hint) => {
    const home = await makeHome()
    const { stderr, exitCode } = await home.run('completion', ...words)
    expect(stderr).toContain(hint)
    expect(exitCode).toBe(64)
  })
})
