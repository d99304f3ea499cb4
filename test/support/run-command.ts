import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'

/** The root of the repository. `npm test` builds the program in it first. */
export const root = join(import.meta.dirname, '../..')

interface CommandOptions {
  env: Readonly<Record<string, string | undefined>>
  cwd: string
}

interface CommandRun {
  stdout: string
  stderr: string
  exitCode?: number
}

/** Commands that run until they are stopped, or that depend on their own process. */
const ALONE = /^(hook|emulator|demo|hub( run)?)( -|$)|--follow/

let warm: Promise<WarmProgram> | undefined
let isBusy = false

/**
 * Runs a command of the built program without input. Reuses a process, because loading the program takes longer than most
 * commands. That process runs one command at a time; concurrent commands run in separate processes.
 */
export async function runCommand(
  words: readonly string[],
  options: CommandOptions,
): Promise<CommandRun> {
  if (isBusy || ALONE.test(words.join(' '))) return await runAlone(words, options)
  isBusy = true
  try {
    warm ??= startWarmProgram()
    const { ended, ...run } = await (await warm).run(words, options)
    if (ended) warm = undefined
    return run
  } finally {
    isBusy = false
  }
}

/** Like `runCommand`, but in a separate process. */
export function runAlone(words: readonly string[], { env, cwd }: CommandOptions) {
  const program = join(root, 'bin/hookbell')
  return execa(process.execPath, [program, ...words], { env, cwd, extendEnv: false, reject: false })
}

type WarmProgram = Awaited<ReturnType<typeof startWarmProgram>>

async function startWarmProgram() {
  const [out, err] = [makeFile(), makeFile()]
  const child = fork(join(import.meta.dirname, 'warm-program.cjs'), {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', out, err, 'ipc'],
  })
  await once(child, 'message')
  const keepAlive = (isAwaited: boolean) => {
    for (const one of [child, child.channel]) isAwaited ? one?.ref() : one?.unref()
  }
  keepAlive(false)
  return {
    async run(words: readonly string[], { env, cwd }: CommandOptions) {
      keepAlive(true)
      const given = Object.fromEntries(
        Object.entries(env).filter(([, value]) => value !== undefined),
      )
      child.send({ words, env: given, cwd })
      const end = await endOf(child)
      keepAlive(false)
      const texts = { stdout: take(out), stderr: take(err) }
      if (end.ended) for (const file of [out, err]) closeSync(file)
      return { ...texts, ...end }
    },
  }
}

/** The exit code of the command, or of the process if the command ended it. */
async function endOf(child: ChildProcess): Promise<{ exitCode?: number; ended: boolean }> {
  return await new Promise((resolve) => {
    const onMessage = ({ exitCode }: { exitCode: number }) => {
      child.off('exit', onExit)
      resolve({ exitCode, ended: false })
    }
    const onExit = (code: number | null) => {
      child.off('message', onMessage)
      resolve({ ...(code === null ? {} : { exitCode: code }), ended: true })
    }
    child.once('message', onMessage).once('exit', onExit)
  })
}

/** Opens a file for appending, and removes its name, so that nothing is left behind. */
function makeFile(): number {
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-output-'))
  const file = openSync(join(folder, 'output'), 'ax+')
  rmSync(folder, { recursive: true })
  return file
}

/** Reads and empties the file. Drops the last line break, as execa does. */
function take(file: number): string {
  const bytes = Buffer.alloc(fstatSync(file).size)
  readSync(file, bytes, 0, bytes.length, 0)
  ftruncateSync(file)
  return bytes.toString().replace(/\r?\n$/, '')
}
