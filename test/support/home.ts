import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { acceptEvent } from '../../src/spool/event-file.ts'
import { makeFolder } from './folder.ts'
import { root, runAlone, runCommand } from './run-command.ts'

export { root }

/** Makes a home in which the built CLI and the front door run. Removed with the test. */
export async function makeHome(config?: object) {
  const home = await makeFolder()
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    HOOKBELL_STATE_DIR: join(home, 'state'),
    HOOKBELL_CONFIG_DIR: join(home, 'config'),
    XDG_RUNTIME_DIR: join(home, 'run'),
  }
  const project = join(home, 'api-server')
  await mkdir(env.HOOKBELL_CONFIG_DIR)
  await mkdir(join(project, '.git'), { recursive: true })
  const writeConfig = (text: string) =>
    writeFile(join(env.HOOKBELL_CONFIG_DIR, 'config.json'), text)
  if (config) await writeConfig(JSON.stringify(config))
  const options = { env, extendEnv: false, cwd: project, reject: false } as const
  return {
    home,
    project,
    env,
    state: env.HOOKBELL_STATE_DIR,
    writeConfig,
    run: (...words: string[]) => runCommand(words, { env, cwd: project }),
    /** Runs a command in a separate process. */
    runAlone: (...words: string[]) => runAlone(words, { env, cwd: project }),
    /** Runs a command in a separate process, with `input` on stdin. */
    runWith: (input: string, ...words: string[]) =>
      execa(process.execPath, [join(root, 'bin/hookbell'), ...words], { ...options, input }),
    /** Stores an event without starting a worker, so that the test decides when it is delivered. */
    accept(payload: unknown, client = 'droid', session: Record<string, string> = {}) {
      const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
      return acceptEvent(env.HOOKBELL_STATE_DIR, { client, env: session }, Buffer.from(text))
    },
    read: (path: string) => readFileSync(join(home, path), 'utf8'),
  }
}

export type Home = Awaited<ReturnType<typeof makeHome>>
