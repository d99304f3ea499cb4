import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { packageRoot } from '../package-root.ts'
import type { Receivers } from './receivers.ts'
import { transcriptLines } from './story.ts'

/** A temporary home with a project, a configuration and an agent's settings: nothing of the user's is touched. */
export interface Stage {
  home: string
  project: string
  transcript: string
  stateDir: string
  auditFile: string
  settingsFile: string
  env: NodeJS.ProcessEnv
  remove(): Promise<void>
}

/** Only the variables that a desktop needs are taken over from the real session. */
const desktopVariables = /^(DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|LANG|PATH)$/

export async function buildStage({ slackUrl, phoneUrl, smtpUrl }: Receivers): Promise<Stage> {
  const home = await mkdtemp(join(tmpdir(), 'hookbell-demo-'))
  const project = join(home, 'api-server')
  const sessions = join(home, '.factory/sessions')
  const configDir = join(home, '.config/hookbell')
  const auditFile = join(home, 'hookbell.jsonl')
  for (const folder of [join(project, '.git'), sessions, configDir]) {
    // With umask 002, a group could write to them, and `init` refuses such a configuration.
    await mkdir(folder, { recursive: true, mode: 0o700 })
  }
  const transcript = join(sessions, 'session.jsonl')
  await writeFile(transcript, transcriptLines(Date.now()))
  const config = {
    channels: {
      desk: { type: 'desktop' },
      phone: { type: 'ntfy', server: phoneUrl, topic: 'demo' },
      team: { type: 'slack', url: slackUrl },
      mail: { type: 'email', smtp: smtpUrl, from: 'bell@example.com', to: ['me@example.com'] },
      audit: { type: 'file', path: auditFile },
    },
    routes: [
      { on: ['permission', 'waiting', 'done'], to: ['desk', 'phone', 'audit'] },
      { on: ['abnormal-end', 'failed'], to: ['desk', 'team', 'mail', 'audit'] },
    ],
    lingerSeconds: 1,
    retry: { firstDelaySeconds: 1 },
  }
  await writeFile(join(configDir, 'config.json'), JSON.stringify(config, null, 2), { mode: 0o600 })
  const kept = Object.entries(process.env).filter(([name]) => desktopVariables.test(name))
  return {
    home,
    project,
    transcript,
    stateDir: join(home, '.local/state/hookbell'),
    auditFile,
    settingsFile: join(home, '.factory/settings.json'),
    env: { ...Object.fromEntries(kept), HOME: home },
    // The worker may still be writing its last line.
    remove: () => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  }
}

/** Runs `hookbell init` as a user would, and returns the command line that it registered. */
export async function registerHooks(stage: Stage): Promise<string> {
  const words = [
    join(packageRoot(), 'bin/hookbell'),
    'init',
    '--client',
    'droid',
    '--user',
    '--yes',
  ]
  // Detached, so that Ctrl+C does not end `init` while its child processes go on writing into a folder that is removed.
  const detached = { detached: true, windowsHide: true }
  const options = { env: stage.env, extendEnv: false, cwd: stage.project, ...detached } as const
  await execa(process.execPath, words, options)
  const settings = JSON.parse(await readFile(stage.settingsFile, 'utf8'))
  return settings.hooks.Stop[0].hooks[0].command
}

interface Hooked {
  waitedMs: number
  exitCode: number | null
  /** What the hook printed: must be nothing. */
  output: string
}

/** Runs the registered command line as an agent does, and waits until it ended and its output is closed. */
export function runHook(command: string, payload: object, stage: Stage): Promise<Hooked> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    // Not execa, because its overhead would count as the agent's time.
    const agent = spawn('sh', ['-c', command], { cwd: stage.project, env: stage.env })
    let output = ''
    for (const stream of [agent.stdout, agent.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    agent.on('error', reject)
    agent.on('close', (exitCode) => {
      resolve({ waitedMs: performance.now() - startedAt, exitCode, output })
    })
    agent.stdin.end(JSON.stringify(payload))
  })
}
