import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect } from 'vitest'
import type { Check } from '../../src/doctor/check.ts'
import { makeHome, root } from '../support/home.ts'
import { shellQuote } from '../support/shell-quote.ts'

export const canMount =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'x', '/mnt']).status === 0

export const working = {
  channels: { audit: { type: 'file', path: '~/audit.jsonl' } },
  routes: [{ on: ['*'], to: ['audit'] }],
}

/** The parts of a client's settings that a test changes. */
interface Settings {
  hooks: { Stop: unknown[] }
  hooksDisabled?: boolean
}

export type BrokenHome = Awaited<ReturnType<typeof makeWorkingHome>>

/** A home without any fault, and the helpers to break it. */
export async function makeWorkingHome(client: string, prelude = '') {
  const home = await makeHome(working)
  const settings = join(home.home, `.${client === 'droid' ? 'factory' : client}/settings.json`)
  /** Runs each command in its own mount namespace, after `prelude` has changed the file system there. */
  const runAfterPrelude = (words: readonly string[], input: string) => {
    const command = [process.execPath, join(root, 'bin/hookbell'), ...words]
    const line = `${prelude}\nexec ${command.map(shellQuote).join(' ')}`
    const env = { ...home.env, STATE: home.state }
    const options = { env, extendEnv: false, cwd: home.project, reject: false, input } as const
    return execa('unshare', ['-m', 'sh', '-c', line], options)
  }
  const run = async (words: readonly string[], input = '') => {
    if (prelude) return await runAfterPrelude(words, input)
    return await (input ? home.runWith(input, ...words) : home.run(...words))
  }
  const examine = async (...words: string[]) => {
    const { stdout, stderr, exitCode } = await run(['doctor', '--offline', '--json', ...words])
    expect(stderr).toBe('')
    const { checks, fixed } = JSON.parse(stdout) as { checks: Check[]; fixed: string[] }
    const isFault = ({ status, seen }: Check) =>
      // On a busy machine the front door may need more than a second, which is not a fault here.
      ['warning', 'broken'].includes(status) && !/^\d+ ms, silent, exit 0$/.test(seen)
    return { exitCode, fixed, faults: checks.filter(isFault) }
  }
  expect(await run(['init', '--client', client, '--yes'])).toMatchObject({ exitCode: 0 })
  const sh = (line: string, input = '{}') =>
    execa('sh', ['-c', line], { ...{ env: home.env, extendEnv: false, cwd: home.project, input } })
  const editSettings = (edit: (value: Settings) => object) => {
    const value = JSON.parse(readFileSync(settings, 'utf8'))
    writeFileSync(settings, JSON.stringify(edit(value)))
  }
  return {
    ...{ home: home.home, project: home.project, state: home.state, settings },
    ...{
      configDir: home.env.HOOKBELL_CONFIG_DIR,
      writeConfig: home.writeConfig,
      accept: home.accept,
    },
    ...{ run, examine, sh, editSettings },
  }
}

/** Follows the advice of a check literally. */
export async function followAdvice(advice: string, { run, sh }: BrokenHome) {
  const line = advice.replace(/^.*?(?=hookbell |chmod |mv )/, '')
  if (!line.startsWith('hookbell ')) return await sh(line)
  // Steps run in order; of two alternatives, the first one is used.
  for (const one of line.replace(/, or .*/, '').split(', then ')) {
    const [, verb = '', ...words] = one.split(' ')
    const isAsked = ['init', 'uninstall'].includes(verb)
    await run([verb, ...words, ...(isAsked ? ['--yes'] : [])], 'http://127.0.0.1:9/')
  }
}

/** Approves the hooks as a person does in codex, which stores the position and the hash of each. See codex.test.ts. */
export function approveInCodex({ home }: BrokenHome) {
  const path = join(home, '.codex/hooks.json')
  const { hooks } = JSON.parse(readFileSync(path, 'utf8'))
  const lines = Object.keys(hooks).map((event) => {
    const { matcher } = hooks[event][0]
    const [{ command }] = hooks[event][0].hooks
    const name = event.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
    const timeout = ['SessionEnd', 'Interrupt'].includes(event) ? 3 : 10
    const hook = { async: false, command, timeout, type: 'command' }
    const identity = JSON.stringify({ event_name: name, hooks: [hook], matcher })
    const hash = createHash('sha256').update(identity).digest('hex')
    return `[hooks.state."${path}:${name}:0:0"]\ntrusted_hash = "sha256:${hash}"\n`
  })
  writeFileSync(join(home, '.codex/config.toml'), lines.join(''))
}
