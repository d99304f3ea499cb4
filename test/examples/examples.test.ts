import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/api/index.ts'
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator/index.ts'
import { tsc } from '../support/compiler.ts'
import { root } from '../support/home.ts'

interface Run {
  words?: string[]
  input?: string
  /** Runs the source with tsx, as a reader would. */
  isSource?: boolean
}

async function start(options: EmulatorOptions = {}) {
  const emulator = await startEmulator(options)
  const folder = mkdtempSync(join(tmpdir(), 'hookbell-examples-'))
  onTestFinished(async () => {
    await emulator.close()
    rmSync(folder, { recursive: true })
  })
  return { emulator, folder, run: (name: string, run: Run) => runExample(emulator, name, run) }
}

function runExample(
  emulator: Emulator,
  name: string,
  { words = [], input = '', isSource = false }: Run,
) {
  const env = {
    PATH: process.env.PATH,
    // The folder of the compiled code that tsx caches.
    TMPDIR: process.env.TMPDIR,
    HOOKBELL_API_BASE_URL: emulator.url,
    HOOKBELL_APP_BASE_URL: emulator.appUrl,
    HOOKBELL_API_KEY: emulator.apiKey,
  }
  const options = { cwd: root, env, extendEnv: false, input, reject: false } as const
  const program = isSource
    ? ['--import', 'tsx', join(root, 'examples', `${name}.ts`)]
    : [join(built, `${name}.mjs`)]
  return execa(process.execPath, [...program, ...words], options)
}

// Inside the package, so that it can be imported by its own name.
const built = mkdtempSync(join(root, 'test/examples/.snippets-'))

/** Compiled once, since a start with tsx takes as long as a dozen without. */
beforeAll(async () => {
  const sources = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.ts'))
  await build({
    entryPoints: sources.map((name) => join(root, 'examples', name)),
    outdir: built,
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    target: 'node20.18',
  })
})
afterAll(() => rmSync(built, { recursive: true }))

const userTexts = (emulator: Emulator) =>
  emulator
    .requests()
    .filter(({ endpoint }) => endpoint === 'sessions.messages.add')
    .map(({ body }) => String(Object(body).text))

describe('examples', () => {
  it('compile against the built package', async () => {
    const words = [...tsc, '-p', join(root, 'examples')]
    const { stdout, exitCode } = await execa(process.execPath, words, { reject: false })
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 0 })
  })

  describe('follow-up-after-stop', () => {
    const stop = (emulator: Emulator) =>
      JSON.stringify({
        hook_event_name: 'Stop',
        session_id: emulator.sessionId,
        cwd: root,
      })
    const failing = [process.execPath, '-e', 'console.log("2 tests failed"); process.exit(1)']

    it('sends the failed checks to the agent only once', async () => {
      const { emulator, run } = await start()
      const options = { words: failing, input: stop(emulator) }
      expect(await run('follow-up-after-stop', options)).toMatchObject({ exitCode: 0, stderr: '' })
      await run('follow-up-after-stop', options)
      expect(userTexts(emulator)).toEqual([
        'The checks failed after you stopped.\n\n2 tests failed',
      ])
    })

    it('sends nothing when the checks pass', async () => {
      const { emulator, run } = await start()
      const words = [process.execPath, '-e', '0']
      await run('follow-up-after-stop', { words, input: stop(emulator), isSource: true })
      expect(emulator.requests()).toEqual([])
    })

    it.each(['', '{"session_id": "nope", "cwd": "/"}'])(
      'exits with 0 for the input %j',
      async (input) => {
        const { run } = await start()
        const { exitCode } = await run('follow-up-after-stop', { words: failing, input })
        expect(exitCode).toBe(0)
      },
    )
  })

  describe('ask-in-ci', () => {
    const agent = {
      instant: true,
      script: [
        { when: { text: 'fail' }, fail: 'Out of credits' },
        { when: { text: 'ask' }, ask: 'Which branch?' },
        { when: { text: 'hang' }, hang: true as const },
        { answer: 'All green' },
      ],
    }
    // The agent is done before the response to its message, so these seconds are never too short.
    const limit = '10'

    it.each([
      ['check', 0, 'All green', /^session sess_\d+$/],
      ['fail', 1, 'Out of credits', /ended with an error$/],
      ['ask', 1, '', /the agent asks: Which branch\?$/],
      ['hang', 1, '', /was not done within 10000 ms$/],
    ])('given "%s", exits with %i and prints "%s"', async (task, exitCode, stdout, stderr) => {
      const { emulator, run } = await start({ seed: { agent } })
      const words = [emulator.computerId, task, limit]
      const found = await run('ask-in-ci', { words, isSource: task === 'check' })
      expect(found).toMatchObject({ exitCode, stdout, stderr: expect.stringMatching(stderr) })
      expect(emulator.state().sessions.map(({ status }) => status)).toEqual(['idle', 'idle'])
    })

    it('says what is wrong if there is no such computer', async () => {
      const { run } = await start()
      const { exitCode, stderr } = await run('ask-in-ci', { words: ['none', 'check'] })
      expect(stderr).toContain('No computer "none"')
      expect(exitCode).toBe(1)
    })
  })

  describe('remind-of-questions', () => {
    it('names the sessions whose agent asks something, by a tool or in a text', async () => {
      const sessions = ['one', 'two', 'three', 'four'].map((id) => ({ id, computerId: 'comp_ada' }))
      const script = [
        { when: { session: 'one' }, ask: 'Which\nbranch?' },
        { when: { session: 'two' }, answer: 'Shall I go on?' },
        { answer: 'Done.' },
      ]
      const { emulator, run } = await start({
        seed: { sessions, agent: { instant: true, script } },
      })
      const client = createClient(emulator.clientOptions)
      for (const sessionId of ['one', 'two', 'three'])
        await client.sessions.messages.add({ sessionId, text: `task\n${sessionId}` })
      await client.close()
      const { exitCode, stdout, stderr } = await run('remind-of-questions', { words: ['0'] })
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
      expect(stdout.replaceAll(/\d+ min/g, 'N min').split('\n')).toEqual([
        'task two has waited for N min: Shall I go on?',
        'task one has waited for N min: Which branch?',
      ])
      const { stdout: later } = await run('remind-of-questions', { words: ['60'], isSource: true })
      expect(later).toBe('')
    })
  })

  it('test-with-a-scripted-agent passes as a test', async () => {
    const words = ['--test', join(built, 'test-with-a-scripted-agent.mjs')]
    const { exitCode, stdout } = await execa(process.execPath, words, {
      cwd: root,
      env: { PATH: process.env.PATH },
      extendEnv: false,
      reject: false,
    })
    expect(stdout).toMatch(/pass 3/)
    expect(exitCode).toBe(0)
  })

  describe('rotate-a-key-safely', () => {
    it('stores a working key and keeps the old one for ten minutes', async () => {
      const { emulator, folder, run } = await start()
      const { serviceAccountId, keyId, serviceAccountKey } = emulator
      const file = join(folder, 'key')
      const words = [serviceAccountId, keyId, file]
      const { exitCode, stdout, stderr } = await run('rotate-a-key-safely', {
        words,
        isSource: true,
      })
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
      const value = readFileSync(file, 'utf8').trim()
      expect(stdout).not.toContain(value)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(await statusOf(emulator, value)).toBe(403)
      expect(await statusOf(emulator, serviceAccountKey)).toBe(403)
      emulator.clock.advance(10 * 60_000)
      expect(await statusOf(emulator, serviceAccountKey)).toBe(401)
      expect(await statusOf(emulator, value)).toBe(403)
    })

    it.each([
      ['the folder is missing', (folder: string) => join(folder, 'none', 'key')],
      ['another run is in progress', (folder: string) => join(folder, 'busy')],
      ['no file is given', () => ''],
    ])('does not rotate the key when %s', async (_, fileIn) => {
      const { emulator, folder, run } = await start()
      writeFileSync(join(folder, 'busy.new'), '')
      const { serviceAccountId, keyId } = emulator
      const words = [serviceAccountId, keyId, fileIn(folder)]
      expect((await run('rotate-a-key-safely', { words })).exitCode).toBe(1)
      expect(emulator.requests()).toEqual([])
    })

    it('leaves no file behind when the rotation is rejected', async () => {
      const { emulator, folder, run } = await start()
      const words = [emulator.serviceAccountId, 'none', join(folder, 'key')]
      expect((await run('rotate-a-key-safely', { words })).exitCode).toBe(1)
      expect(readdirSync(folder)).toEqual([])
    })

    it('sends the request once when the response is lost, and reports that the key may be rotated', async () => {
      const { emulator, folder, run } = await start()
      const { serviceAccountId, keyId } = emulator
      // biome-ignore lint/suspicious/noThenProperty: never a function, so the object is not a thenable
      emulator.faults.add({ endpoint: 'serviceAccounts.keys.rotate', then: { cut: 'in-body' } })
      const words = [serviceAccountId, keyId, join(folder, 'key')]
      const { exitCode, stderr } = await run('rotate-a-key-safely', { words })
      expect(exitCode).toBe(1)
      expect(stderr).toContain('The key may be rotated')
      expect(emulator.requests()).toHaveLength(1)
    })
  })

  describe('limits-from-csv', () => {
    it('sends a hundred users per request and names the rejected ones', async () => {
      const users = Array.from({ length: 150 }, (_, at) => ({
        id: `user_${at}`,
        email: `user${at}@example.com`,
        ...(at === 0 ? { role: 'owner' as const, apiKey: 'fk-first' } : {}),
      }))
      const { emulator, folder, run } = await start({
        seed: { users, computers: [], sessions: [] },
      })
      const file = join(folder, 'limits.csv')
      const lines = users.map(({ email }) => `${email},2000000`)
      writeFileSync(file, ['email,limit', ...lines, 'nobody@example.com,'].join('\r\n'))
      const { exitCode, stdout, stderr } = await run('limits-from-csv', {
        words: [file],
        isSource: true,
      })
      expect(stdout).toBe('100 of 100 set\n50 of 51 set')
      expect(stderr).toMatch(/^nobody@example.com: /)
      expect(exitCode).toBe(1)
      expect(emulator.requests()).toHaveLength(2)
    })

    it('changes nothing when a line is invalid', async () => {
      const { emulator, folder, run } = await start()
      const file = join(folder, 'limits.csv')
      writeFileSync(file, 'bo@example.com,1\nada@example.com,many\n')
      const { exitCode, stderr } = await run('limits-from-csv', { words: [file] })
      expect(exitCode).toBe(1)
      expect(stderr).toContain('not "email,limit": ada@example.com,many')
      expect(emulator.requests()).toEqual([])
    })
  })
})

async function statusOf({ url }: Emulator, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${url}/api/v0/organization/usage/limits/global`, { headers })
  await response.body?.cancel()
  return response.status
}
