import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, it } from 'vitest'
import { makeHome, root } from '../support/home.ts'
import {
  type AnswerHome,
  type AskOptions,
  ask,
  bash,
  decisionOf,
  type Listed,
  makeAnswerHome,
  open,
  PATIENCE,
  waitForOpen,
} from './_answers.ts'

const RULE = {
  type: 'addRules',
  rules: [{ toolName: 'Bash', ruleContent: 'npm publish:*' }],
  behavior: 'allow',
  destination: 'localSettings',
}
const SESSION_RULE = { type: 'setMode', mode: 'acceptEdits', destination: 'session' }

const questions = [
  {
    question: 'Which database?',
    header: 'DB',
    multiSelect: false,
    options: [
      { label: 'SQLite', description: 'a file' },
      { label: 'Postgres', description: 'a server' },
    ],
  },
  {
    question: 'Which tests?',
    multiSelect: true,
    options: [{ label: 'unit' }, { label: 'end, to end' }, { label: 'load' }],
  },
]

describe('cli: answer', () => {
  it.each([
    [['allow'], bash('npm publish'), { behavior: 'allow' }],
    [['deny'], bash('npm publish'), { behavior: 'deny', message: 'The person denied this.' }],
    [
      ['deny', 'Use "next"\nfirst'],
      bash('npm publish'),
      { behavior: 'deny', message: 'Use "next"\nfirst' },
    ],
    [
      ['always'],
      bash('npm publish', { permission_suggestions: [RULE] }),
      { behavior: 'allow', updatedPermissions: [RULE] },
    ],
    [
      ['always', '2'],
      bash('npm publish', { permission_suggestions: [RULE, { type: 'unknown' }, SESSION_RULE] }),
      { behavior: 'allow', updatedPermissions: [SESSION_RULE] },
    ],
    [
      ['2; load,END, to end'],
      { tool_name: 'AskUserQuestion', tool_input: { questions } },
      undefined,
    ],
    [
      ['sqlite; 1,3'],
      { tool_name: 'AskUserQuestion', tool_input: { questions } },
      {
        behavior: 'allow',
        updatedInput: {
          questions,
          answers: { 'Which database?': 'SQLite', 'Which tests?': 'unit, load' },
        },
      },
    ],
    [
      ['deny', 'later'],
      { tool_name: 'ExitPlanMode', tool_input: { plan: '1. Delete all' } },
      { behavior: 'deny', message: 'later' },
    ],
  ])('gives the agent the answer %j', async (words, payload, decision) => {
    const home = await makeAnswerHome()
    const asked = ask(home, payload)
    const [question] = await waitForOpen(home)
    const { exitCode, stderr } = await home.run('answer', question?.id.slice(0, 6) ?? '', ...words)
    if (decision === undefined) {
      expect([exitCode, stderr]).toEqual([64, expect.stringContaining('has no choice')])
      return
    }
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(await decisionOf(asked)).toEqual(decision)
    const { stdout } = await home.run('why', question?.id ?? '')
    expect(stdout).toMatch(/^ {2}answer .* with hookbell answer$/m)
  })

  it.each([
    [
      ['allow'],
      { tool_name: 'AskUserQuestion', tool_input: { questions } },
      '2 answers are needed',
    ],
    [['3; 1'], { tool_name: 'AskUserQuestion', tool_input: { questions } }, 'has no choice "3"'],
    [['1,2; 1'], { tool_name: 'AskUserQuestion', tool_input: { questions } }, 'no choice "1,2"'],
    [['allow'], { tool_name: 'ExitPlanMode', tool_input: { plan: 'x' } }, 'can only be denied'],
    [['always'], bash('ls', { permission_suggestions: [{ type: 'other' }] }), 'suggests no rule'],
    [['always', '2'], bash('ls', { permission_suggestions: [RULE] }), 'no rule "2"'],
    [['yes'], bash('ls'), 'unknown answer "yes"'],
    [['allow', 'this'], bash('ls'), 'allow takes no other words'],
  ])('refuses %j without answering', async (words, payload, message) => {
    const home = await makeAnswerHome()
    ask(home, payload)
    const [question] = await waitForOpen(home)
    const { exitCode, stderr } = await home.run('answer', question?.id ?? '', ...words)
    expect([exitCode, stderr]).toEqual([64, expect.stringContaining(message)])
    expect(await open(home)).toHaveLength(1)
  })

  it('shows the whole command, and what a terminal would obey as an escape', async () => {
    const home = await makeAnswerHome()
    const command = `echo ${'x'.repeat(5000)}; rm -rf ~/thesis \u001b[2K\u202e`
    ask(home, bash(command, { permission_suggestions: [RULE] }))
    await waitForOpen(home)
    const { stdout } = await home.run('answer')
    expect(stdout).toContain(`${'x'.repeat(5000)}; rm -rf ~/thesis \\u001b[2K\\u202e`)
    expect(stdout).toContain('always: allow Bash(npm publish:*) in this project, for you')
    expect(stdout).not.toContain('\u001b[2K')
  })

  it('shows the whole input of a tool that runs no command', async () => {
    const home = await makeAnswerHome()
    const input = { file_path: '/etc/hosts', old_string: 'a', new_string: 'b\nc' }
    ask(home, { tool_name: 'Edit', tool_input: input })
    await waitForOpen(home)
    const { stdout } = await home.run('answer')
    for (const [name, value] of Object.entries(input))
      expect(stdout).toContain(`"${name}": ${JSON.stringify(value)}`)
  })

  it('gives each of three equal commands its own answer', async () => {
    const home = await makeAnswerHome()
    const asked = [1, 2, 3].map((session) => ask(home, bash('make', { session_id: `s${session}` })))
    const listed = (await waitForOpen(home, 3)) as (Listed & { sessionId: string })[]
    const idOf = (session: string) => listed.find((one) => one.sessionId === session)?.id ?? ''
    await home.run('answer', idOf('s2'), 'deny', 'no')
    await home.run('answer', idOf('s3'), 'allow')
    await home.run('answer', idOf('s1'), 'deny', 'first')
    expect(await Promise.all(asked.map(decisionOf))).toEqual([
      { behavior: 'deny', message: 'first' },
      { behavior: 'deny', message: 'no' },
      { behavior: 'allow' },
    ])
  })

  it('takes the first of many answers only', async () => {
    const home = await makeAnswerHome()
    const asked = ask(home, bash('make'))
    const [question] = await waitForOpen(home)
    const runs = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        home.runAlone('answer', question?.id ?? '', 'deny', `reason ${at}`),
      ),
    )
    const given = runs.flatMap(({ exitCode }, at) => (exitCode === 0 ? [at] : []))
    expect(given).toHaveLength(1)
    expect(await decisionOf(asked)).toEqual({ behavior: 'deny', message: `reason ${given[0]}` })
    expect(runs.filter(({ stderr }) => stderr.includes('waits for an answer'))).toHaveLength(7)
  })

  it('is not taken from an agent', async () => {
    const home = await makeAnswerHome()
    const asked = ask(home, bash('make'))
    const [question] = await waitForOpen(home)
    const words = [join(root, 'bin/hookbell'), 'answer', question?.id ?? '', 'allow']
    const env = { ...home.env, CLAUDECODE: '1' }
    const run = await execa(process.execPath, words, { env, extendEnv: false, reject: false })
    expect([run.exitCode, run.stderr]).toEqual([64, expect.stringContaining('only a person')])
    await home.run('answer', question?.id ?? '', 'deny')
    expect(await decisionOf(asked)).toMatchObject({ behavior: 'deny' })
  })
})

describe('the wait for an answer', () => {
  it('ends silently when the session goes on', async () => {
    const home = await makeAnswerHome()
    const asked = ask(home, bash('make'))
    await waitForOpen(home)
    const prompt = { hook_event_name: 'UserPromptSubmit', prompt: 'No', session_id: 's1' }
    const { command } = home.hookOf('UserPromptSubmit')
    await ask(home, prompt, { command }).printed
    expect(await decisionOf(asked)).toBeUndefined()
    expect(await open(home)).toEqual([])
    expect(readdirSync(home.answers)).toEqual([])
  })

  it('ends when the agent is killed', async () => {
    const home = await makeAnswerHome()
    const asked = ask(home, bash('make'))
    await waitForOpen(home)
    asked.agent.kill('SIGKILL')
    await expect.poll(() => readdirSync(home.answers), PATIENCE).toEqual([])
    expect(await asked.printed).toEqual(['', ''])
  })

  it('ends when its time is over, and an answer then is too late', async () => {
    const home = await makeAnswerHome()
    const command = home.hookOf('PermissionRequest').command.replace('--wait 600', '--wait 1')
    const asked = ask(home, bash('make'), { command })
    expect(await decisionOf(asked)).toBeUndefined()
    await expect.poll(() => readdirSync(home.answers), PATIENCE).toEqual([])
    const { stderr } = await home.run('answer', '0', 'allow')
    expect(stderr).toContain('waits for an answer')
  })

  it('ends with answer off, and does not begin until answer on', async () => {
    const home = await makeAnswerHome()
    const asked = ask(home, bash('make'))
    await waitForOpen(home)
    expect((await home.run('answer', 'off')).stdout).toContain('ended for 1 that waited')
    expect(await decisionOf(asked)).toBeUndefined()
    expect(await decisionOf(ask(home, bash('make')))).toBeUndefined()
    await home.run('answer', 'on')
    ask(home, bash('make'))
    await waitForOpen(home)
  })

  it.each<[string, (home: AnswerHome) => AskOptions]>([
    ['in an editor', () => ({ env: { CLAUDE_CODE_ENTRYPOINT: 'claude-vscode' } })],
    ['without a person', () => ({ env: { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' } })],
    ['where its folder is a link', (home) => linked(home)],
    ['where its folder is a file', (home) => blocked(home)],
    [
      'with a time that is no number',
      (home) => ({ command: home.hookOf('PermissionRequest').command.replace('600', '9x9') }),
    ],
  ])('does not begin %s, and the event is stored', async (_, prepare) => {
    const home = await makeAnswerHome()
    const asked = ask(home, bash('make'), prepare(home))
    expect(await decisionOf(asked)).toBeUndefined()
    await expect
      .poll(() => home.run('log', '--json').then(({ stdout }) => stdout), PATIENCE)
      .toContain('PermissionRequest')
  })

  it.each(['sh', 'bash --posix'])(
    'is answered by no variable of the session, in %s',
    async (shell) => {
      const home = await makeAnswerHome()
      const program = join(home.state, 'runtime/bin/hookbell-wait')
      const door = join(home.state, 'hookbell-hook')
      const command = `${shell} ${program} ${door} ${home.state} --client claude --wait 600; exit $?`
      const asked = ask(home, bash('make'), { command, env: planted(home) })
      const [question] = await waitForOpen(home)
      expect(await home.run('answer', question?.id ?? '', 'deny')).toMatchObject({ exitCode: 0 })
      expect(await decisionOf(asked)).toMatchObject({ behavior: 'deny' })
    },
  )

  it.each(['cli', 'sdk-cli'])('prints nothing of the front door, in %s', async (entryPoint) => {
    const home = await makeAnswerHome()
    const door = join(home.home, 'door')
    const seen = join(home.home, 'seen')
    writeFileSync(door, `#!/bin/sh\necho allow; echo allow >&5; : >'${seen}'\n`, { mode: 0o755 })
    const program = join(home.state, 'runtime/bin/hookbell-wait')
    const command = `sh ${program} ${door} ${home.state} --client claude --wait 1 || :`
    const asked = ask(home, bash('make'), { command, env: { CLAUDE_CODE_ENTRYPOINT: entryPoint } })
    const [output] = await asked.printed
    expect(output).toBe('exit 0\n')
    expect(existsSync(seen)).toBe(true)
  })

  it('survives a worker that is killed', async () => {
    const home = await makeAnswerHome()
    const asked = ask(home, bash('make'))
    const [question] = await waitForOpen(home)
    const [pid] = readFileSync(join(home.state, 'worker.lock'), 'utf8').split(' ')
    process.kill(Number(pid), 'SIGKILL')
    expect((await home.run('answer', question?.id ?? '', 'allow')).exitCode).toBe(0)
    expect(await decisionOf(asked)).toEqual({ behavior: 'allow' })
  })
})

/** Modules and a function that a repository plants in the environment of its agent, and that would allow everything. */
function planted(home: AnswerHome): Record<string, string> {
  const allow = '{"hookSpecificOutput":{"decision":{"behavior":"allow"}}}'
  writeFileSync(join(home.home, 'Planted.pm'), `print '${allow}'; 1;\n`)
  const names = ['[', 'command', 'date', 'mkfifo', 'mv', 'perl', 'read', 'sed', 'timeout']
  const functions = names.map((name) => [`BASH_FUNC_${name}%%`, `() { echo '${allow}'; }`])
  const perl = { PERL5LIB: home.home, PERL5OPT: '-MPlanted' }
  return { ...perl, ...Object.fromEntries(functions) }
}

function linked(home: AnswerHome): AskOptions {
  mkdirSync(join(home.state, 'spool'), { mode: 0o700 })
  symlinkSync(home.home, home.answers)
  return {}
}

function blocked(home: AnswerHome): AskOptions {
  mkdirSync(join(home.state, 'spool'), { mode: 0o700 })
  writeFileSync(home.answers, '')
  return {}
}

describe('init --answers', () => {
  it('registers the wait with a time limit of its own, keeps it, and removes it again', async () => {
    const home = await makeAnswerHome()
    const { command, timeout } = home.hookOf('PermissionRequest')
    expect(command).toContain(' --wait 600; ')
    expect(timeout).toBeGreaterThan(600)
    expect(home.hookOf('Stop').command).not.toContain('--wait')
    const before = home.read('.claude/settings.json')
    await home.run('init', '--client', 'claude', '--yes')
    expect(home.read('.claude/settings.json')).toBe(before)
    const { stdout } = await home.run('doctor', '--json')
    const canaries = JSON.parse(stdout).checks.filter(({ id }: { id: string }) => /canary/.test(id))
    expect(canaries.map(({ status }: { status: string }) => status)).not.toContain('broken')
    await home.run('uninstall', '--yes')
    expect(readdirSync(join(home.home, '.claude'))).toEqual([])
  })

  it('waits for as long as the configuration says', async () => {
    const home = await makeAnswerHome()
    await home.writeConfig(JSON.stringify({ answers: { waitMinutes: 3 } }))
    await home.run('init', '--client', 'claude', '--answers', '--yes')
    const { hooks } = JSON.parse(home.read('.claude/settings.json'))
    expect(hooks.PermissionRequest[0].hooks[0].command).toContain(' --wait 180; ')
  })

  it.each([
    [['--client', 'gemini'], 'not known to be possible for gemini'],
    [['--client', 'claude', '--project'], 'in your own settings only'],
  ])('refuses %j', async (words, message) => {
    const home = await makeHome()
    const { exitCode, stderr } = await home.run('init', ...words, '--answers', '--yes')
    expect([exitCode, stderr]).toEqual([64, expect.stringContaining(message)])
  })
})
