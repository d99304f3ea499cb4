import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished } from 'vitest'
import { makeHome } from '../support/home.ts'

/** Nothing is measured: a busy machine may take long. */
export const PATIENCE = { timeout: 120_000 }

export type AnswerHome = Awaited<ReturnType<typeof makeAnswerHome>>

const files = { claude: '.claude/settings.json', codex: '.codex/hooks.json' }

/** A home in which `init --answers` has registered a client. */
export async function makeAnswerHome(client: 'claude' | 'codex' = 'claude') {
  const home = await makeHome({
    channels: { record: { type: 'file', path: '~/record.jsonl' } },
    routes: [{ on: ['*'], to: ['record'] }],
  })
  await mkdir(join(home.home, `.${client}`))
  const { exitCode, stderr } = await home.run('init', '--client', client, '--answers', '--yes')
  expect([exitCode, stderr]).toEqual([0, ''])
  onTestFinished(async () => void (await home.run('uninstall', '--yes')))
  const { hooks } = JSON.parse(home.read(files[client]))
  const hookOf = (event: string) => hooks[event][0].hooks[0] as { command: string; timeout: number }
  return { ...home, hookOf, answers: join(home.state, 'spool/answers') }
}

export interface AskOptions {
  env?: Record<string, string>
  command?: string
}

/** An agent that asks for permission and waits for its hook. Its own process is a shell, as the agent would be. */
export function ask(home: AnswerHome, payload: object, { env = {}, command }: AskOptions = {}) {
  const line = command ?? home.hookOf('PermissionRequest').command
  const agent = spawn('sh', ['-c', 'sh -c "$1"; echo "exit $?"', 'sh', line], {
    env: { ...home.env, CLAUDE_CODE_ENTRYPOINT: 'cli', ...env },
    cwd: home.project,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  onTestFinished(() => void agent.kill('SIGKILL'))
  const sent = { hook_event_name: 'PermissionRequest', session_id: 's1', cwd: home.project }
  agent.stdin.end(JSON.stringify({ ...sent, ...payload }))
  return { agent, printed: Promise.all([text(agent.stdout), text(agent.stderr)]) }
}

export function bash(command: string, more: object = {}) {
  return { tool_name: 'Bash', tool_input: { command }, ...more }
}

export interface Listed {
  id: string
  input: { command?: string }
}

export async function open(home: AnswerHome): Promise<Listed[]> {
  return JSON.parse((await home.run('answer', '--json')).stdout)
}

export async function waitForOpen(home: AnswerHome, count = 1): Promise<Listed[]> {
  return await expect
    .poll(() => open(home), PATIENCE)
    .toHaveLength(count)
    .then(() => open(home))
}

/** What the agent's hook printed, and its exit code, which must be 0; undefined for nothing. */
export async function decisionOf({ printed }: ReturnType<typeof ask>): Promise<object | undefined> {
  const [output, errors] = await printed
  expect(errors).toBe('')
  expect(output).toMatch(/exit 0\n$/)
  const json = output.replace(/exit 0\n$/, '')
  if (json === '') return undefined
  const { hookSpecificOutput } = JSON.parse(json)
  expect(hookSpecificOutput.hookEventName).toBe('PermissionRequest')
  return hookSpecificOutput.decision
}
