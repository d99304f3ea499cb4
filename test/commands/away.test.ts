import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeHome } from '../support/home.ts'
import { hasPty, startPty } from '../support/pty.ts'
import { shellQuote } from '../support/shell-quote.ts'
import { ask, bash, decisionOf, makeAnswerHome, open, PATIENCE, waitForOpen } from './_answers.ts'

const RULE = { type: 'setMode', mode: 'acceptEdits', destination: 'session' }

describe('cli: away', () => {
  it('lets an agent wait that shows its question only afterwards, until back', async () => {
    const home = await makeAnswerHome('codex')
    expect(await decisionOf(ask(home, bash('make')))).toBeUndefined()
    expect((await home.run('away')).stdout).toMatch(/^Away until .*: questions of Codex CLI wait/)
    const asked = ask(home, bash('make', { permission_suggestions: [RULE] }))
    const [question] = await waitForOpen(home)
    const always = await home.run('answer', question?.id ?? '', 'always')
    expect(always.stderr).toContain('suggests no rule')
    await home.run('answer', question?.id ?? '', 'allow')
    expect(await decisionOf(asked)).toEqual({ behavior: 'allow' })
    const later = ask(home, bash('make install'))
    await waitForOpen(home)
    expect((await home.run('back')).stdout).toContain('Back')
    expect(await decisionOf(later)).toBeUndefined()
    expect(await decisionOf(ask(home, bash('make')))).toBeUndefined()
    expect((await home.run('back')).stdout).toBe('You were not away')
  })

  it('ends with its time, also for a question that waits', async () => {
    const home = await makeAnswerHome('codex')
    await home.run('away', '3s')
    expect(await decisionOf(ask(home, bash('make')))).toBeUndefined()
    await expect.poll(() => readdirSync(home.answers), PATIENCE).toEqual([])
    expect(await open(home)).toEqual([])
  })

  it('asks nothing with choices, which such an agent would not take', async () => {
    const home = await makeAnswerHome('codex')
    await home.run('away')
    const asked = ask(home, {
      tool_name: 'ask_user_question',
      tool_input: { questions: [{ question: 'Which?', options: [{ label: 'a' }] }] },
    })
    await expect
      .poll(() => readdirSync(home.answers), PATIENCE)
      .toContainEqual(expect.stringContaining('.event'))
    expect(await open(home)).toEqual([])
    await home.run('back')
    expect(await decisionOf(asked)).toBeUndefined()
  })

  it.runIf(hasPty)('ends with a key in the terminal of the question', async () => {
    const home = await makeAnswerHome('codex')
    await home.run('away')
    const file = join(home.home, 'printed')
    const payload = { hook_event_name: 'PermissionRequest', session_id: 's1', ...bash('make') }
    const { command } = home.hookOf('PermissionRequest')
    const hook = `printf %s ${shellQuote(JSON.stringify(payload))} | sh -c ${shellQuote(command)}`
    const line = `sh -c ${shellQuote(`(${hook}; echo "exit $?") >${shellQuote(file)} & exec cat`)}`
    const { PATH = '', ...env } = home.env
    const terminal = await startPty({ command: line, env: { ...env, PATH } })
    await waitForOpen(home)
    await expect
      .poll(() => {
        // The terminal keeps the time of a key only every eight seconds.
        terminal.type('x\n')
        return readFileSync(file, 'utf8')
      }, PATIENCE)
      .toBe('exit 0\n')
    expect(await open(home)).toEqual([])
    expect((await home.run('back')).stdout).toBe('You were not away')
  })

  it.each([
    [['away', 'soon'], '"soon" is no time'],
    [['away'], 'no agent that is registered waits'],
  ])('refuses %j', async (words, message) => {
    const home = await makeHome()
    const { exitCode, stderr } = await home.run(...words)
    expect([exitCode, stderr]).toEqual([64, expect.stringContaining(message)])
  })
})
