import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from './folder.ts'

export const hasPython = spawnSync('python3', ['--version']).status === 0

/** Runs a program with a non-blocking pipe as its output. Nobody reads the pipe for half a second. Needs python3. */
export async function readThroughNonBlockingPipe(
  command: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ status: number | null; text: string }> {
  const out = join(await makeFolder(), 'out')
  const script = `
import os, subprocess, sys, time
read, write = os.pipe()
os.set_blocking(write, False)
child = subprocess.Popen(sys.argv[2:], stdout=write)
os.close(write)
time.sleep(0.5)
with os.fdopen(read, 'rb') as pipe, open(sys.argv[1], 'wb') as out: out.write(pipe.read())
sys.exit(child.wait())`
  const { status } = spawnSync('python3', ['-c', script, out, ...command], { env })
  return { status, text: readFileSync(out, 'utf8') }
}
