import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'esbuild'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeFolder } from '../support/folder.ts'
import { root } from '../support/home.ts'
import { hasPython, readThroughNonBlockingPipe } from '../support/non-blocking-pipe.ts'
import { shellQuote } from '../support/shell-quote.ts'

const LINES = 5000
const line = 'x'.repeat(99)

/** The command line of a program that prints 500 kB, more than the buffer of a pipe. */
async function makeProgram(): Promise<[string, ...string[]]> {
  const outfile = join(await makeFolder(), 'program.cjs')
  const lines = `for (let at = 0; at < ${LINES}; at += 1) print(${JSON.stringify(line)})`
  const contents = `import { print } from './src/cli/output.ts'\n${lines}`
  const stdin = { contents, resolveDir: root }
  const define = { 'import.meta.url': '"file:///"', 'import.meta.filename': '"/"' }
  await build({ stdin, bundle: true, platform: 'node', format: 'cjs', outfile, define })
  return [process.execPath, outfile]
}

describe('cli: output', () => {
  it('a slow reader receives all output', async () => {
    const [program, ...words] = await makeProgram()
    const child = spawn(program, words)
    await sleep(50)
    let size = 0
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      child.stdout.pause()
      setTimeout(() => child.stdout.resume(), 1)
    })
    const [exitCode] = await once(child, 'close')
    expect({ exitCode, size }).toEqual({ exitCode: 0, size: LINES * 100 })
  })

  it.runIf(hasPython)('a reader of a non-blocking pipe receives all output in order', async () => {
    const { status, text } = await readThroughNonBlockingPipe(await makeProgram())
    expect(status).toBe(0)
    expect(text).toBe(`${line}\n`.repeat(LINES))
  })

  it('a reader that closes the pipe early is not an error', async () => {
    const command = (await makeProgram()).map(shellQuote).join(' ')
    const script = `{ ${command}; echo "exit $?" >&2; } | head -n 1`
    const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
    expect({ stdout, stderr }).toEqual({ stdout: `${line}\n`, stderr: 'exit 0\n' })
  })

  it.runIf(existsSync('/dev/full'))('a full disk is reported and exits with 74', async () => {
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    const [program, ...words] = await makeProgram()
    const { status, stderr } = spawnSync(program, words, {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    })
    expect(stderr).toMatch(/^x ENOSPC: /)
    expect(status).toBe(74)
  })
})
