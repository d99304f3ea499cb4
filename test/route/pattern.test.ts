import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { matchesPattern } from '../../src/route/pattern.ts'
import { processorMs } from '../support/processor-time.ts'
import { buildProgram } from '../support/program.ts'

/** A harmless pattern that takes some milliseconds of CPU time. */
const [pattern, text] = ['a*a*b|c', `${'a'.repeat(200)}c`]
const ROUNDS = 5

describe('the pattern of a route', () => {
  it('matches, does not match, or is invalid and does not match', () => {
    expect(matchesPattern(pattern, 'aac')).toBe(true)
    expect(matchesPattern(pattern, 'aa')).toBe(false)
    expect(matchesPattern('(', 'aac')).toBe(false)
  })

  it('is aborted if it backtracks without end', async () => {
    const evil = () => matchesPattern('(a+)+$', `${'a'.repeat(3000)}b`)
    expect(evil()).toBe(false)
    // Processor time, which does not depend on how busy the machine is.
    expect(await processorMs(evil)).toBeLessThan(2000)
  })

  it.skipIf(process.platform === 'win32')(
    'matches although its process is stopped again and again',
    async () => {
      const program = await buildProgram('src/route/pattern.ts')
      const code = `
        import { matchesPattern } from ${JSON.stringify(program)}
        console.log('ready')
        const rounds = Array.from({ length: ${ROUNDS} }, () => matchesPattern(${JSON.stringify(pattern)}, ${JSON.stringify(text)}))
        console.log(rounds.filter(Boolean).length)`
      const child = spawn(process.execPath, ['--input-type=module', '--eval', code])
      onTestFinished(() => void child.kill('SIGKILL'))
      let output = ''
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk
      })
      await expect.poll(() => output).toContain('ready')
      while (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGSTOP')
        await sleep(100)
        child.kill('SIGCONT')
        await sleep(3)
      }
      await expect.poll(() => output).toMatch(/^ready\n\d+\n$/)
      expect(output).toBe(`ready\n${ROUNDS}\n`)
    },
  )
})
