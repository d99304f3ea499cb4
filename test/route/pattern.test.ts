import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Patterns } from '../../src/route/pattern.ts'
import { buildProgram } from '../support/program.ts'

/** A harmless pattern that takes some milliseconds of CPU time. */
const [pattern, text] = ['a*a*b|c', `${'a'.repeat(200)}c`]
const ROUNDS = 5

/** Expressions and texts that would take years. */
const evil = Array.from({ length: 100 }, (_, index) => `(a+)+${index}$`)
const evilText = `${'a'.repeat(3000)}!`
const evilGlob = '*a*a*a*a*a*a*a*a*b'
const evilName = 'a'.repeat(250)

describe('the patterns of routes', () => {
  it('match, do not match, or are invalid and do not match', () => {
    const patterns = new Patterns()
    expect(patterns.matches(pattern, 'aac')).toBe(true)
    expect(patterns.matches(pattern, 'aa')).toBe(false)
    expect(patterns.matches('(', 'aac')).toBe(false)
  })

  it.each([
    ['api-*', 'api-server', true],
    ['api-*', 'web', false],
    ['api-*', 'api-a/b', false],
    ['/code/**', '/code/a/.b', true],
    ['!web', 'api', true],
    ['{api,web}', 'web', true],
    ['a b.c', 'a bxc', false],
    ['@(a)', 'a', false],
  ])('may be %j for names, as in a shell: %j', (glob, name, result) => {
    expect(new Patterns().matchesGlob(glob, name)).toBe(result)
  })

  it('end, however many of an event backtrack without end', () => {
    const patterns = new Patterns()
    for (const one of evil) expect(patterns.matches(one, evilText)).toBeUndefined()
    expect(patterns.matchesGlob(evilGlob, evilName)).toBeUndefined()
  })

  it('leave time for others that are harmless, also in the next event', () => {
    const patterns = new Patterns()
    for (const one of evil.slice(0, 5)) patterns.matches(one, evilText)
    expect(patterns.matches('b$', `${evilText}b`)).toBe(true)
    expect(patterns.matchesGlob('web-*', 'web-shop')).toBe(true)
    expect(new Patterns().matches(pattern, 'aac')).toBe(true)
  })

  it.skipIf(process.platform === 'win32')(
    'matches although its process is stopped again and again',
    async () => {
      const program = await buildProgram('src/route/pattern.ts')
      const code = `
        import { Patterns } from ${JSON.stringify(program)}
        console.log('ready')
        const rounds = Array.from({ length: ${ROUNDS} }, () => new Patterns().matches(${JSON.stringify(pattern)}, ${JSON.stringify(text)}))
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
