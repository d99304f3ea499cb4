import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { hasTerminal, runInTerminal } from '../support/terminal.ts'
import { makeApiHome, makeFault } from './_api-home.ts'

const instant = { seed: { agent: { instant: true, answer: 'You said: {text}\u001b[2J' } } }
const never = { seed: { agent: { pendingMs: 3_600_000 } } }

const added = (requests: readonly { endpoint?: string; body: unknown }[]) =>
  requests.filter(({ endpoint }) => endpoint === 'sessions.messages.add').map(({ body }) => body)

describe('reply', () => {
  it('posts the message and reports it without waiting', async () => {
    const { run, emulator } = await makeApiHome(never)
    const { stdout, exitCode } = await run('reply', emulator.sessionId, 'Go ahead')
    expect(stdout).toMatch(/^ok posted as msg_\d+; the session is pending$/)
    expect(exitCode).toBe(0)
    expect(added(emulator.requests())).toEqual([{ text: 'Go ahead' }])
  })

  it('waits for the answer with --wait and prints only its text', async () => {
    const { run, emulator } = await makeApiHome(instant)
    const { stdout, exitCode } = await run('reply', emulator.sessionId, 'Go ahead', '--wait')
    expect(stdout).toBe('You said: Go ahead[2J')
    expect(exitCode).toBe(0)
  })

  it('waits for a slow agent', async () => {
    const { run, emulator } = await makeApiHome({
      seed: { agent: { pendingMs: 300, stepMs: 300 } },
    })
    const { stdout } = await run('reply', emulator.sessionId, 'Go ahead', '--wait')
    expect(stdout).toBe('Done: Go ahead')
  })

  it.runIf(hasTerminal)('shows the progress of the agent in a terminal', async () => {
    const { env, emulator } = await makeApiHome(instant)
    const shown = await runInTerminal({ env }, 'reply', emulator.sessionId, 'Go', '--wait')
    const lines = stripVTControlCharacters(shown.text).split('\n')
    expect(lines.slice(0, 3)).toEqual([
      'Waiting for the agent. Ctrl+C ends the waiting, not its work.',
      '> Read README.md',
      'You said: Go[2J',
    ])
  })

  it('reads the text from stdin', async () => {
    const { runWith, emulator } = await makeApiHome(instant)
    const input = 'Two\nlines "quoted" $HOME\n'
    await runWith({ input }, 'reply', emulator.sessionId, '-')
    expect(added(emulator.requests())).toEqual([{ text: 'Two\nlines "quoted" $HOME' }])
  })

  it('prints JSON with --json', async () => {
    const { run, emulator } = await makeApiHome(instant)
    const posted = await run('reply', emulator.sessionId, 'a', '--json')
    expect(JSON.parse(posted.stdout)).toMatchObject({ status: 'idle' })
    const waited = await run('reply', emulator.sessionId, 'b', '--wait', '--json')
    expect(JSON.parse(waited.stdout).at(-1)).toMatchObject({ role: 'assistant' })
  })

  it('stops waiting after --timeout and reports that the message was added', async () => {
    const replyWithin = async (seconds: number) => {
      const { run, emulator } = await makeApiHome(never)
      const words = ['reply', emulator.sessionId, 'Go ahead', '--wait', '--timeout', `${seconds}s`]
      return { ...(await run(...words)), emulator }
    }
    const hasLooked = () => emulator.requests().at(-1)?.endpoint === 'sessions.messages.list'
    let seconds = 1
    let { exitCode, stderr, stdout, emulator } = await replyWithin(seconds)
    // On a busy machine, more time may be needed until the message is added.
    while (!(added(emulator.requests()).length > 0 && hasLooked()) && seconds < 600) {
      seconds *= 2
      ;({ exitCode, stderr, stdout, emulator } = await replyWithin(seconds))
    }
    expect(stderr).toBe(
      `x reply: the message was added, but the agent was not done within ${seconds} s\n` +
        `  See what comes, instead of posting again: hookbell messages ${emulator.sessionId}`,
    )
    expect({ exitCode, stdout }).toEqual({ exitCode: 69, stdout: '' })
    expect(added(emulator.requests())).toHaveLength(1)
  })

  it('never posts twice when the response is lost', async () => {
    const { run, emulator } = await makeApiHome(instant)
    emulator.faults.add(makeFault({ cut: 'in-body' }, { endpoint: 'sessions.messages.add' }))
    const { exitCode, stderr } = await run('reply', emulator.sessionId, 'Go ahead')
    expect(stderr).toContain('It may have been carried out all the same')
    expect(exitCode).toBe(69)
    expect(added(emulator.requests())).toHaveLength(1)
  })

  it('accepts a response without fields', async () => {
    const { run } = await makeApiHome({ faults: [makeFault({ status: 200, body: {} })] })
    expect((await run('reply', 's', 'hi')).stdout).toBe('ok posted')
  })

  it.each([
    [['', 'hi'], 'reply: the session ID is empty'],
    [['s'], 'reply: TEXT is missing'],
    [['s', ' '], 'the text is empty'],
    [['s', '-'], 'the text is empty'],
    [['s', 'a', 'b'], 'too many arguments: "b"'],
    [['s', 'a', '--timeout', '2d'], 'a time of at most a day, not "2d"'],
    [['s', 'a', '--timeout', '0'], '--timeout takes a time of at most a day, not "0"'],
  ])('%j exits with 64 before any request', async (words, message) => {
    const { run, emulator } = await makeApiHome()
    const { exitCode, stderr } = await run('reply', ...words)
    expect(stderr).toContain(message)
    expect(exitCode).toBe(64)
    expect(emulator.requests()).toEqual([])
  })
})
