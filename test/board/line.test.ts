import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import type { Known } from '../../src/board/board.ts'
import { knownIn } from '../../src/board/board.ts'
import { keepAsking, lineOf } from '../../src/board/line.ts'
import type { Session } from '../../src/policy/sessions.ts'
import { emptySession } from '../../src/policy/sessions.ts'
import { ownerOf, statOf } from '../../src/spool/lock/owner.ts'
import { makeFolder } from '../support/folder.ts'
import { makeHome, root } from '../support/home.ts'
import { noTmux, startTmux } from '../support/tmux.ts'

const HOUR = 3600_000
const DAY = 24 * HOUR

/** Puts the program where `init` does. */
function installLine(state: string): string {
  const path = join(state, 'runtime/bin/hookbell-line')
  mkdirSync(join(state, 'runtime/bin'), { recursive: true })
  copyFileSync(join(root, 'bin/hookbell-line'), path)
  chmodSync(path, 0o755)
  return path
}

const own = ownerOf(process.pid, statOf(process.pid)?.started)
/** Processes that may have asked. Of one elsewhere nothing can be seen. */
const jobs = {
  alive: own,
  gone: { ...own, started: '1' },
  'of an earlier start of the machine': { ...own, boot: 'another' },
  elsewhere: { ...own, boot: 'another', host: 'elsewhere.1' },
  unknown: undefined,
}

const askingIn = (sessions: Iterable<[string, Session]>, now: number) =>
  knownIn(sessions, now, (state) => state === 'asks')

interface Asked {
  job: keyof typeof jobs
  project: string
  agoMs: number
}

function sessionThatAsks({ job, project, agoMs }: Asked, now: number): Session {
  const at = now - agoMs
  const owner = jobs[job]
  const place = owner && { terminal: '/dev/pts/9', job: owner }
  return {
    ...{ ...emptySession(), latestAt: at },
    seen: { startedAt: at, askedAt: at, project, ...(place && { place }) },
  }
}

const asked = fc.record({
  job: fc.constantFrom(...(Object.keys(jobs) as (keyof typeof jobs)[])),
  project: fc.oneof(fc.constantFrom('api', 'shop (fox)', '', '$(id) `id` #[x]', '-n'), fc.string()),
  // Away from the borders of minutes: the two look at the clock one after the other.
  agoMs: fc
    .tuple(fc.integer({ min: 0, max: 26 * 60 - 1 }))
    .map(([minutes]) => minutes * 60_000 + 20_000),
})

describe('the line for a status bar', () => {
  it.each(['sh', 'bash'])('is the same with and without Node.js (%s)', async (shell) => {
    const state = await makeFolder()
    const program = installLine(state)
    const property = fc.asyncProperty(fc.array(asked, { maxLength: 4 }), async (all) => {
      const now = Date.now()
      const sessions = all.map((one, at) => [`claude s${at}`, sessionThatAsks(one, now)] as const)
      const asking = await askingIn(new Map(sessions), now)
      keepAsking(state, asking)
      const line = execFileSync(shell, [program], { encoding: 'utf8' })
      expect(line).toBe(`${lineOf(asking, now)}\n`)
    })
    await fc.assert(property, { numRuns: 40 })
  })

  it('leaves out what ends after the file was written', async () => {
    const state = await makeFolder()
    const program = installLine(state)
    const line = () => execFileSync('sh', [program], { encoding: 'utf8' })
    const now = Date.now()
    const known = (one: Asked) =>
      ({
        ...{ client: 'claude', sessionId: 's', state: 'asks', since: now - one.agoMs },
        session: sessionThatAsks(one, now),
      }) satisfies Known
    const api = { project: 'api', agoMs: 200_000 }
    const shop = { project: 'shop', agoMs: 100_000 }
    keepAsking(state, [known({ ...api, job: 'alive' }), known({ ...shop, job: 'unknown' })])
    expect(line()).toBe('2 ask · api 3m\n')
    keepAsking(state, [known({ ...api, job: 'gone' }), known({ ...shop, job: 'unknown' })])
    expect(line()).toBe('1 asks · shop 1m\n')
    keepAsking(state, [known({ ...api, job: 'unknown', agoMs: DAY })])
    expect(line()).toBe('\n')
    keepAsking(state, [known({ ...api, job: 'unknown' })])
    const asking = join(state, 'asking')
    writeFileSync(asking, readFileSync(asking, 'utf8').replace(own.boot, 'another'))
    expect(line()).toBe('\n')
  })

  it('comes from a program that passes shellcheck', (context) => {
    const { error, stdout } = spawnSync('shellcheck', [join(root, 'bin/hookbell-line')])
    if (error) return context.skip('shellcheck is not installed')
    expect(`${stdout}`).toBe('')
  })

  it('is kept by the worker', async () => {
    const home = await makeHome({ channels: { kept: { type: 'file', path: '/dev/null' } } })
    const program = installLine(home.state)
    const lines = async (hook_event_name: string) => {
      home.accept({ session_id: 's', hook_event_name, cwd: home.project }, 'claude')
      await home.run('worker', '--once')
      const { stdout } = await home.run('sessions', '--line')
      expect(execFileSync(program, { encoding: 'utf8' })).toBe(stdout.replace(/\n?$/, '\n'))
      return stdout.trim()
    }
    expect(await lines('PermissionRequest')).toMatch(/^1 asks · api-server (now|\d+m)$/)
    expect(await lines('Stop')).toBe('')
  })
})

/** The blocks of the document in which programs are told of the line. */
const blocks = [
  ...readFileSync(join(root, 'docs/sessions.md'), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```/gm),
].flatMap(([, language = '', text = '']) =>
  text.includes('hookbell-line') ? [{ language, text }] : [],
)

async function homeThatAsks() {
  const home = await makeFolder()
  const state = join(home, '.local/state/hookbell')
  installLine(state)
  const now = Date.now()
  keepAsking(
    state,
    await askingIn(
      [['claude s', sessionThatAsks({ job: 'alive', project: 'api', agoMs: 200_000 }, now)]],
      now,
    ),
  )
  return home
}

const seen = /1 asks · api \dm/

describe('the recipes of the document', () => {
  it('name the command that prints the line', async () => {
    const home = await homeThatAsks()
    const commands = blocks.flatMap(({ language, text }) => {
      if (language === 'tmux') return [/#\((.*?)\)/.exec(text)?.[1]]
      if (language === 'toml')
        return [(parse(text).custom as { hookbell: { command: string } }).hookbell.command]
      const { statusLine, 'custom/hookbell': bar } = JSON.parse(text)
      return [statusLine?.command ?? bar?.exec]
    })
    expect(commands).toHaveLength(4)
    for (const command of commands) {
      const options = {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: home },
      } as const
      // Through a pipe, as a client gives it: nobody reads it, which is no failure.
      const piped = `printf '{}' | (${command})`
      expect(execFileSync('sh', ['-c', piped], options)).toMatch(seen)
    }
  })

  it.skipIf(noTmux)(`show it in tmux${noTmux}`, async () => {
    const home = await homeThatAsks()
    const { text = '' } = blocks.find(({ language }) => language === 'tmux') ?? {}
    const settings = text.replaceAll('~', home).trim().split('\n')
    // Its folder is longer than that of a person.
    const { pty } = await startTmux(['set -g status-right-length 200', ...settings])
    await expect.poll(() => pty.received(), { timeout: 120_000 }).toMatch(/1 asks.*api \dm/)
  })
})
