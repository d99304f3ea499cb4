import { join } from 'node:path'
import { execa } from 'execa'
import { onTestFinished } from 'vitest'
import { type EmulatorOptions, type FaultInput, startEmulator } from '../../src/emulator/index.ts'
import { makeHome, root } from '../support/home.ts'
import { runCommand } from '../support/run-command.ts'

interface RunOptions {
  input?: string | Uint8Array
  env?: Record<string, string | undefined>
}

/** A home whose environment points at an emulator; `run` runs the built CLI. */
export async function makeApiHome(options: EmulatorOptions = {}) {
  const emulator = await startEmulator(options)
  onTestFinished(() => emulator.close())
  const home = await makeHome()
  const env = {
    ...home.env,
    HOOKBELL_API_BASE_URL: emulator.url,
    HOOKBELL_APP_BASE_URL: emulator.appUrl,
    HOOKBELL_API_KEY: emulator.apiKey,
  }
  const runWith = (given: RunOptions, ...words: string[]) =>
    execa(process.execPath, [join(root, 'bin/hookbell'), ...words], {
      cwd: home.project,
      env: { ...env, ...given.env },
      extendEnv: false,
      reject: false,
      input: given.input ?? '',
    })
  return {
    ...home,
    env,
    emulator,
    runWith,
    run: (...words: string[]) => runCommand(words, { env, cwd: home.project }),
  }
}

/** A fault that applies to every request, unless `rest` restricts it. */
export function makeFault(happens: FaultInput['then'], rest: Partial<FaultInput> = {}): FaultInput {
  // biome-ignore lint/suspicious/noThenProperty: never a function, so the object is not a thenable
  return { path: '/*', times: 'always', ...rest, then: happens }
}
