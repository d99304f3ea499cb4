import { existsSync, readFileSync } from 'node:fs'
import { chmod, readFile, symlink, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { command } from '../../src/notifiers/command.ts'
import { DeadlineError } from '../../src/notifiers/define.ts'
import { anyCharacter } from '../support/any-character.ts'
import { makeFolder } from '../support/folder.ts'
import { canHang, makeHungMount } from '../support/hung-mount.ts'
import { makeScript } from '../support/script.ts'
import { shellQuote } from '../support/shell-quote.ts'
import { allTextOf, answerOf, failureOf, makeContext, makeMessage, testNotifier } from './_suite.ts'

const posix = process.platform !== 'win32'
const CANARY = 'canary-5ecret-value'

const send = (argv: string[], options: object = {}, fields = {}, context = {}) =>
  command.send(
    makeMessage(fields),
    command.options.parse({ argv, ...options }),
    makeContext(context),
  )

/** The arguments that run a line in sh. */
const sh = (line: string) => ['sh', '-c', line]

const isRunning = (pid: number) => {
  try {
    // A killed process stays a zombie until its new parent has waited for it.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

describe.runIf(posix)('notifiers: command', () => {
  testNotifier({
    notifier: command,
    accept: async () => {
      const file = join(await makeFolder(), 'arrived')
      const arrived = async () => {
        const { title, body } = JSON.parse(await readFile(file, 'utf8'))
        return `${title}\n${body}`
      }
      return { options: { argv: ['tee', file] }, arrived }
    },
  })

  it.runIf(canHang)('waits at most until its deadline for the disks of the program', async () => {
    const mount = await makeHungMount(60)
    const script = await makeScript(join(mount, 'python'))
    const signal = AbortSignal.timeout(500)
    const programs = [join(mount, 'ring'), join(mount, 'ring'), script, 'ring']
    const env = { PATH: `/bin:${mount}` }
    const failures = programs.map((one) => failureOf(send([one], { env }, {}, { signal })))
    for (const [index, { verdict, message }] of (await Promise.all(failures)).entries()) {
      expect(verdict).toBe('retry')
      const what = `the disk of ${programs[index]} or of its interpreter did not answer`
      expect(message).toContain(what)
    }
  })

  it('fails at once if the path of the program leads through a file or a loop of links', async () => {
    const folder = await makeFolder()
    const [file, loop] = [join(folder, 'file'), join(folder, 'loop')]
    await writeFile(file, '')
    await symlink(loop, loop)
    expect((await failureOf(send([`${file}/ring`]))).message).toContain('(ENOTDIR)')
    expect((await failureOf(send([loop]))).message).toContain('(ELOOP)')
  })

  it('passes the message to the program as one line of JSON', async () => {
    const file = join(await makeFolder(), 'arrived')
    await send(['tee', file], {}, { body: 'a\nb', markup: '<b>' }, { attempt: 3 })
    const text = await readFile(file, 'utf8')
    expect(text.match(/\n/g)).toHaveLength(1)
    expect(JSON.parse(text)).toMatchInlineSnapshot(`
      {
        "at": "2026-11-20T09:30:00.000Z",
        "attempt": 3,
        "body": "a
      b",
        "client": "claude",
        "cwd": "/home/me/shop",
        "event": "Notification",
        "id": "01J9ZK3QHV",
        "kind": "permission",
        "sessionId": "b7c1",
        "title": "Permission needed in shop",
        "urgency": "normal",
      }
    `)
  })

  it('returns the first line of output as its answer', async () => {
    expect(await send(sh('echo queued as 7; echo more'))).toBe('queued as 7')
    expect(await send(sh('printf "\\033[31mred\\a\\nx"'))).toBe('red')
    expect(await send(sh('cat > /dev/null'))).toBe('ended with status 0')
  })

  it('succeeds with a program that does not read its input', async () => {
    expect(await send(['true'], {}, { body: 'x'.repeat(1_000_000) })).toBe('ended with status 0')
  })

  it('reads all output of a program, but keeps only a little of it', async () => {
    const answer = answerOf(
      await send(sh('head -c 20000000 /dev/zero | tr "\\0" x; echo done >&2')),
    )
    expect(answer.length).toBeLessThanOrEqual(300)
  })

  it('passes no text of an event as an argument, a variable or a command', () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter }), async (said) => {
        const nasty = `${said}$(touch /tmp/never) --help\n; exit 1`
        const line = 'printf "%s|" "$#" "$@"; env | grep -c . | tr -d "\\n"'
        const harmless = await send([...sh(line), 'sh', 'one', '$two', 'th ree'])
        const fields = { title: nasty, body: nasty, event: nasty, cwd: nasty, sessionId: nasty }
        expect(await send([...sh(line), 'sh', 'one', '$two', 'th ree'], {}, fields)).toBe(harmless)
        expect(harmless).toMatch(/^3\|one\|\$two\|th ree\|/)
      }),
      { numRuns: 10 },
    ))

  it('runs the program with a small environment that no repository can change', async () => {
    for (const name of ['HOME', 'PATH', 'USER', 'LD_PRELOAD_X', 'NODE_OPTIONS_X', 'SLACK_TOKEN']) {
      vi.stubEnv(name, '/evil')
    }
    onTestFinished(() => void vi.unstubAllEnvs())
    const file = join(await makeFolder(), 'env')
    await send(['env', `--chdir=/`, 'sh', '-c', `env > ${shellQuote(file)}`], {
      env: { OWN: 'yes' },
    })
    const env = new Map(
      (await readFile(file, 'utf8'))
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
    )
    for (const name of ['_', 'PWD', 'OLDPWD', 'SHLVL', 'XDG_RUNTIME_DIR']) env.delete(name)
    expect([...env.keys()].sort()).toEqual(['HOME', 'LANG', 'LOGNAME', 'OWN', 'PATH', 'USER'])
    expect(env.get('HOME')).toBe(userInfo().homedir)
    expect([...env.values()].join()).not.toContain('evil')
  })

  it('finds programs only in the system folders', async () => {
    const folder = await makeFolder()
    await writeFile(join(folder, 'hookbell-test-ring'), '#!/bin/sh\necho rung\n', { mode: 0o755 })
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    const error = await failureOf(send(['hookbell-test-ring']))
    expect(error).toMatchObject({ verdict: 'give-up', hint: expect.stringContaining('in full') })
    expect(await send([join(folder, 'hookbell-test-ring')])).toBe('rung')
  })

  it('runs in the home folder, not in that of the session', async () => {
    expect(await send(['pwd'], {}, { cwd: '/tmp' })).toBe(userInfo().homedir)
  })

  it.each([
    [1, 'retry'],
    [2, 'retry'],
    [69, 'retry'],
    [75, 'retry'],
    [111, 'retry'],
    [64, 'give-up'],
    [65, 'give-up'],
    [77, 'give-up'],
    [78, 'give-up'],
    [127, 'give-up'],
  ])('treats exit status %i as %s', async (status, verdict) => {
    const error = await failureOf(send(sh(`echo why >&2; exit ${status}`)))
    expect(error).toMatchObject({
      verdict,
      message: `command: sh ended with status ${status}: why`,
    })
  })

  it('shows a colored error without its colors', async () => {
    const error = await failureOf(send(sh("printf '\\033[31mno route\\033[0m\\n' >&2; exit 1")))
    expect(error.message).toBe('command: sh ended with status 1: no route')
  })

  it('asks for a retry when the program was killed', async () => {
    const error = await failureOf(send(sh('kill -9 $$')))
    expect(error).toMatchObject({ verdict: 'retry', message: 'command: sh was killed by SIGKILL' })
  })

  it('gives up on a missing program, and names its path', async () => {
    const file = join(await makeFolder(), 'program')
    const error = await failureOf(send([file]))
    expect(error).toMatchObject({ verdict: 'give-up', hint: `There is no file ${file}` })
    const inHome = await failureOf(send(['~/no/such/program']))
    expect(inHome.hint).toBe(`There is no file ${userInfo().homedir}/no/such/program`)
  })

  it.each([
    ['#!/bin/sh\n', '644', 'EACCES', 'chmod'],
    ['#!/no/such/interpreter\n', '755', 'ENOENT', '#!'],
    ['#!/bin/sh\r\necho rung\r\n', '755', 'ENOENT', '#!'],
  ])('gives up on a file with the content %j and mode %s', async (content, mode, code, hint) => {
    const file = join(await makeFolder(), 'program')
    await writeFile(file, content)
    await chmod(file, mode)
    const error = await failureOf(send([file]))
    expect(error).toMatchObject({ verdict: 'give-up', hint: expect.stringContaining(hint) })
    expect(error.message).toContain(code)
  })

  it.runIf(existsSync('/proc/self'))(
    'kills the program and its children at its abort signal',
    async () => {
      const file = join(await makeFolder(), 'pids')
      const line = `trap "" TERM HUP; sleep 1000 & echo $$ $! > ${shellQuote(file)}; wait`
      const controller = new AbortController()
      const sending = failureOf(send(sh(line), {}, {}, { signal: controller.signal }))
      const pids = await vi.waitFor(async () => {
        const found = (await readFile(file, 'utf8')).trim().split(' ').map(Number)
        expect(found).toHaveLength(2)
        return found
      }, 600_000)
      expect(pids.map(isRunning)).toEqual([true, true])
      controller.abort(new DeadlineError(300))
      const message = 'command: sh was killed: it did not end within 0.3 s'
      expect(await sending).toMatchObject({ verdict: 'retry', message })
      await expect.poll(() => pids.map(isRunning)).toEqual([false, false])
    },
  )

  it('starts no program if its signal is aborted before the start', async () => {
    const file = join(await makeFolder(), 'started')
    const controller = new AbortController()
    const sending = failureOf(send(['touch', file], {}, {}, { signal: controller.signal }))
    controller.abort()
    expect(await sending).toMatchObject({ verdict: 'retry' })
    expect(existsSync(file)).toBe(false)
  })

  it('does not wait for processes that a program leaves running', async () => {
    const pid = Number(await send(sh('sleep 1000 & echo $!')))
    onTestFinished(() => void process.kill(pid))
    expect(isRunning(pid)).toBe(true)
  })

  it('keeps the values of variables out of answers and errors', async () => {
    const options = { env: { TOKEN: CANARY } }
    expect(await send(sh('echo "got $TOKEN"'), options)).toBe('got [redacted]')
    const error = await failureOf(send(sh('echo "bad $TOKEN" >&2; exit 1'), options))
    expect(allTextOf(error)).not.toContain(CANARY)
  })

  it.each([
    { argv: [] },
    { argv: [''] },
    { argv: ['./ring'] },
    { argv: ['bin/ring'] },
    { argv: ['../ring'] },
    { argv: ['ring --loud'] },
    { argv: ['ring;reboot'] },
    { argv: ['C:\\ring.bat'] },
    { argv: ['ring.cmd'] },
    { argv: ['ring', 'a\0b'] },
    { argv: 'ring' },
    { argv: ['ring'], env: { 'A=B': 'c' } },
    { argv: ['ring'], env: { A: 'b\0c' } },
  ])('rejects the options %j', (options) => {
    expect(command.options.safeParse(options).success).toBe(false)
  })

  it('says in the error that the path of a program must be absolute', () => {
    const { error } = command.options.safeParse({ argv: ['./ring'] })
    expect(error?.issues[0]?.message).toContain('must be absolute')
  })
})
