import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { makeHome, root } from '../support/home.ts'
import { hasPty, startPty } from '../support/pty.ts'
import { shellQuote } from '../support/shell-quote.ts'

const noPty = hasPty ? '' : ' (skipped: script of util-linux not installed)'
const quiet = { channels: { kept: { type: 'file', path: '/dev/null' } }, lingerSeconds: 1 }

type Board = {
  session: string
  state: string
  because?: string
  says?: string
  name?: string
  project: string
  where: { terminal?: string; tmux?: string; pid?: number }
}[]

async function makeUser(config: object = quiet) {
  const home = await makeHome(config)
  const tell = (session_id: string, hook_event_name: string, more: object = {}) =>
    home.accept({ session_id, hook_event_name, cwd: home.project, ...more }, 'claude')
  const board = async (...words: string[]): Promise<Board> => {
    await home.run('worker', '--once')
    return JSON.parse((await home.run('sessions', '--json', ...words)).stdout)
  }
  return { home, tell, board }
}

const bash = { tool_name: 'Bash', tool_input: { command: 'npm publish' } }

describe('hookbell sessions', () => {
  it('shows who waits for a person, longest first, and hides what has ended', async () => {
    const { home, tell, board } = await makeUser()
    tell('gone', 'UserPromptSubmit', { prompt: 'Hello' })
    tell('gone', 'SessionEnd', { reason: 'prompt_input_exit' })
    tell('busy', 'UserPromptSubmit', { prompt: 'Fix the tests' })
    tell('first', 'PermissionRequest', bash)
    tell('second', 'PermissionRequest', { ...bash, tool_input: { command: 'git push' } })
    tell('over', 'UserPromptSubmit', { prompt: 'Test it' })
    tell('over', 'Stop', { last_assistant_message: 'All tests pass.' })
    expect((await board()).map(({ session, state }) => [session, state])).toEqual([
      ['first', 'asks'],
      ['second', 'asks'],
      ['over', 'done'],
      ['busy', 'works'],
      ['gone', 'ended'],
    ])
    const { stdout } = await home.run('sessions')
    expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      expect.stringMatching(/^asks you +(?:now|\d+ min) +api-server +Claude Code$/),
      expect.stringContaining('npm publish'),
      expect.stringMatching(/^asks you +(?:now|\d+ min) +api-server +Claude Code$/),
      expect.stringContaining('git push'),
      expect.stringMatching(/^is done +(?:now|\d+ min) +api-server +Claude Code$/),
      '  Test it · All tests pass.',
      expect.stringMatching(/^works +(?:now|\d+ min) +api-server +Claude Code$/),
      '  Fix the tests',
    ])
    expect((await home.run('sessions', '--all')).stdout).toMatch(/^ended +/m)
    expect((await home.run('sessions', '--project', 'other')).stdout).toContain('--all')
  })

  it('finds the linked work trees of a project by the name of its repository', async () => {
    const { home, tell, board } = await makeUser()
    const tree = join(home.home, 'fox')
    const gitDir = join(home.project, '.git/worktrees/fox')
    mkdirSync(tree)
    mkdirSync(gitDir, { recursive: true })
    writeFileSync(join(tree, '.git'), `gitdir: ${gitDir}\n`)
    writeFileSync(join(gitDir, 'commondir'), '../..\n')
    tell('linked', 'Stop', { cwd: tree })
    tell('other', 'Stop', { cwd: home.home })
    expect(await board('--project', 'api-server')).toMatchObject([
      { session: 'linked', project: 'api-server (fox)' },
    ])
  })

  it('keeps neither prompts nor answers if the journal keeps no texts', async () => {
    const { home, tell, board } = await makeUser({ ...quiet, journal: { text: false } })
    tell('s', 'UserPromptSubmit', { prompt: 'canary one' })
    tell('s', 'Stop', { last_assistant_message: 'canary two' })
    const [row] = await board()
    expect(row).toMatchObject({ session: 's', state: 'done', project: 'api-server' })
    expect(JSON.stringify(row) + home.read('state/journal.jsonl')).not.toContain('canary')
  })

  it('says what to do if there is none', async () => {
    const { home } = await makeUser()
    expect((await home.run('sessions')).stdout).toContain('hookbell status')
  })

  it('sees the answer in a transcript that no worker has read', async () => {
    const { home, tell, board } = await makeUser()
    const folder = join(home.home, '.claude/projects/p')
    mkdirSync(folder, { recursive: true })
    const transcript_path = join(folder, 's.jsonl')
    const add = (type: string, content: object, ago: number) => {
      const timestamp = new Date(Date.now() - ago).toISOString()
      const line = { type, timestamp, message: { role: type, content: [content] } }
      appendFileSync(transcript_path, `${JSON.stringify(line)}\n`)
    }
    add('assistant', { type: 'tool_use', id: 't1', name: 'Bash', input: bash.tool_input }, 5000)
    tell('s', 'UserPromptSubmit', { prompt: 'Publish it', transcript_path })
    tell('s', 'PermissionRequest', { ...bash, tool_use_id: 't1', transcript_path })
    expect(await board()).toMatchObject([{ state: 'asks' }])
    add('user', { type: 'tool_result', tool_use_id: 't1', content: 'ok' }, -1)
    const { stdout } = await home.run('sessions', '--json')
    expect(JSON.parse(stdout)).toMatchObject([{ session: 's', state: 'works' }])
  })
})

describe.skipIf(noPty)(`an agent in a terminal${noPty}`, () => {
  it.each(['sh', 'node'])('is found there, and has ended once it is killed (%s)', async (door) => {
    const { home, board } = await makeUser()
    const program = door === 'sh' ? 'sh bin/hookbell-hook' : 'bin/hookbell hook'
    const payload = join(home.home, 'payload')
    const event = { session_id: 's', hook_event_name: 'UserPromptSubmit', cwd: home.project }
    writeFileSync(payload, JSON.stringify({ ...event, prompt: 'Fix it' }))
    // An agent starts its hooks in a session of their own.
    const hook = `setsid --wait ${program} --client claude <${shellQuote(payload)}`
    const agent = `cd ${shellQuote(root)}; ${hook}; echo told; exec sleep 1000`
    // As an interactive shell does it, the agent is a job of its own.
    const line = `sh -c ${shellQuote(`set -m; sh -c ${shellQuote(`echo agent $$; ${agent}`)}; sleep 1000`)}`
    const env = { ...(home.env as Record<string, string>), TMUX_PANE: '%3' }
    const terminal = await startPty({ command: line, env })
    await expect.poll(() => terminal.received(), { timeout: 300_000 }).toContain('told')
    const [row] = await board()
    expect(row).toMatchObject({
      ...{ state: 'works', name: 'Fix it', where: { terminal: terminal.path, tmux: '%3' } },
    })
    process.kill(row?.where.pid ?? 0, 'SIGSTOP')
    await expect.poll(board).toMatchObject([{ state: 'still', because: 'its process is stopped' }])
    process.kill(row?.where.pid ?? 0, 'SIGKILL')
    await expect.poll(board).toMatchObject([{ state: 'ended', because: 'its process is gone' }])
  })
})

describe.skipIf(noPty)(`hookbell sessions --watch${noPty}`, () => {
  it('shows what changes, draws nothing else, and ends with q', async () => {
    const { home, tell } = await makeUser()
    const branch = 'a-branch-with-a-name-that-is-far-too-long-for-this'
    writeFileSync(join(home.project, '.git/HEAD'), `ref: refs/heads/${branch}\n`)
    tell('s', 'UserPromptSubmit', { prompt: 'Fix the tests, all of them. '.repeat(9) })
    await home.run('worker', '--once')
    const words = [process.execPath, 'bin/hookbell', 'sessions', '--watch']
      .map(shellQuote)
      .join(' ')
    const line = `stty cols 60 rows 12; cd ${shellQuote(root)}; ${words}; echo "ended $?"`
    const env = home.env as Record<string, string>
    const terminal = await startPty({ command: `sh -c ${shellQuote(line)}`, env })
    const frames = () => terminal.received().split('\x1b[H').slice(1)
    const shows = async (text: string) =>
      await expect.poll(() => frames().at(-1), { timeout: 120_000 }).toContain(text)
    await shows('works')
    tell('s', 'PermissionRequest', bash)
    await home.run('worker', '--once')
    await shows('npm publish')
    tell('s', 'SessionEnd', { reason: 'prompt_input_exit' })
    await home.run('worker', '--once')
    await shows('--all')
    terminal.type('q')
    await shows('ended 0')
    const drawn = frames().map((frame) =>
      stripVTControlCharacters(frame.replace(/ended 0\s*$/, '')),
    )
    for (const [at, frame] of drawn.entries()) {
      expect(frame).not.toBe(drawn[at - 1])
      for (const one of frame.split('\r\n')) expect(one.length).toBeLessThanOrEqual(60)
    }
    expect(terminal.received()).toContain('\x1b[?1049l')
  })

  it('needs a terminal', async () => {
    const { home } = await makeUser()
    const { exitCode, stderr } = await home.run('sessions', '--watch')
    expect([exitCode, stderr]).toEqual([64, expect.stringContaining('needs a terminal')])
  })
})
