import { execFileSync, spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hookCommand } from '../../src/install/hook-command.ts'
import { runHook } from '../support/fake-agent.ts'
import { removeFolder } from '../support/folder.ts'
import { isFull } from '../support/runs.ts'
import { shellQuote } from '../support/shell-quote.ts'
import {
  type Door,
  files,
  fixture,
  type Home,
  makeHome,
  spooled,
  waitFor,
  workerPid,
} from './_door.ts'

/** The number of hooks that are started at the same time. */
const HERD = isFull ? 200 : 50
const SILENT = { code: 0, signal: null, output: '' }
const stop = fixture('droid', 'Stop')

/** Tests how the front door and its worker cope with the ways in which agents run their hooks. */
export function agentSuite(door: Door) {
  /** The command line that `init` registers. */
  async function register(home: Home): Promise<string> {
    const words = await door.argv(home)
    if (!door.isNode) return hookCommand(words[0] ?? '', 'droid')
    return `{ trap 'exit 0' 0; ${words.map(shellQuote).join(' ')} --client droid; trap - 0; } >/dev/null 2>&1 || :`
  }

  const delivered = (home: Home, count = 1) => waitFor(() => lines(home).length >= count)

  describe(`${door.name}: agents`, () => {
    it.each([
      ['sockets, own session', { stdio: 'sockets', ownSession: true }],
      ['sockets, the session of the client', { stdio: 'sockets', ownSession: false }],
      ['pipes, own session', { stdio: 'pipes', ownSession: true }],
      ['bash', { shell: 'bash' }],
      ['a kill of the process group at the end', { killsGroup: true }],
    ] as const)('delivers with %s', async (_, options) => {
      const home = makeHome({ holdsWorkerBack: false })
      const run = await runHook(await register(home), { env: home.env, input: stop, ...options })
      expect(run).toMatchObject(SILENT)
      await delivered(home)
    })

    // In Node.js the worker is a child of the hook until the hook ends.
    it.skipIf(door.isNode)('delivers although the agent kills the process tree', async () => {
      // The hook stores the start of an event that is too large, starts the worker, and reads the rest with `cat`.
      const text = 'x'.repeat(2 * 1024 * 1024)
      const input = JSON.stringify({ ...JSON.parse(String(stop)), text })
      const home = makeHome({ holdsWorkerBack: false })
      const isReading = (programs: readonly string[]) =>
        programs.includes('cat') && hasStarted(home)
      const agent = { env: home.env, input, killsTreeWhen: isReading }
      expect(await runHook(await register(home), agent)).toMatchObject({ signal: 'SIGKILL' })
      await delivered(home)
    })

    it('keeps the worker alive, in its own session, when the terminal of the agent closes', async () => {
      const home = makeHome({ holdsWorkerBack: false, config: { lingerSeconds: 600 } })
      writeFileSync(join(home.folder, 'event'), stop)
      const env = { ...home.env, HOOK: await register(home) }
      // `script` provides a terminal that closes as soon as the command line ends.
      const leave = `sh -c "$HOOK" <${shellQuote(join(home.folder, 'event'))}`
      spawnSync('script', ['-qec', leave, '/dev/null'], { env })
      await delivered(home)
      const pid = await worker(home)
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const [, parent, , session, terminal] = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
      expect({ parent, terminal }).toEqual({
        parent: expect.stringMatching(/^\d+$/),
        terminal: '0',
      })
      expect(session).not.toBe(String(sessionOf(process.pid)))
      expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/State:\s+[SRD]/)
    })

    it('starts the worker in the root folder, also from a folder that was deleted', async () => {
      const home = makeHome({ holdsWorkerBack: false, config: { lingerSeconds: 600 } })
      const gone = shellQuote(join(home.folder, 'gone'))
      const line = `mkdir ${gone} && cd ${gone} && rmdir ${gone}; ${await register(home)}`
      expect(await runHook(line, { env: home.env, input: stop })).toMatchObject(SILENT)
      await delivered(home)
      expect(link(`/proc/${await worker(home)}/cwd`)).toBe('/')
    })

    it('passes no dangerous variable of the agent to the worker', async () => {
      const home = makeHome({ holdsWorkerBack: false, config: { lingerSeconds: 600 } })
      const dangerous = {
        NODE_TLS_REJECT_UNAUTHORIZED: '0',
        NODE_EXTRA_CA_CERTS: '/nonexistent.pem',
        NODE_PATH: '/nonexistent',
        npm_config_registry: 'http://127.0.0.1:1/',
        LD_LIBRARY_PATH: '/nonexistent',
        NODE_OPTIONS: '--max-old-space-size=512',
      }
      const env = { ...home.env, ...dangerous, SLACK_WEBHOOK_URL: 'https://evil.example/' }
      expect(await runHook(await register(home), { env, input: stop })).toMatchObject(SILENT)
      await delivered(home)
      const pid = await worker(home)
      const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
        .split('\0')
        .map((pair) => pair.split('=')[0] ?? '')
      expect(names.filter((name) => /^(NODE_|npm_|LD_|SLACK)/i.test(name))).toEqual([])
    })

    it.each([3, 9, 12, 15, 40])(
      'does not pass file descriptor %i of the agent to the worker',
      async (fd) => {
        const home = makeHome({ holdsWorkerBack: false, config: { lingerSeconds: 600 } })
        const leaks = { file: openSync(join(home.folder, 'left-open'), 'w'), as: fd }
        const { env } = home
        expect(await runHook(await register(home), { env, input: stop, leaks })).toMatchObject(
          SILENT,
        )
        closeSync(leaks.file)
        await delivered(home)
        const pid = await worker(home)
        const open = readdirSync(`/proc/${pid}/fd`).map((fd) => link(`/proc/${pid}/fd/${fd}`))
        expect(open.filter((target) => /left-open|\/pts\/|\/tty/.test(target))).toEqual([])
        expect([0, 1, 2].map((fd) => link(`/proc/${pid}/fd/${fd}`))).toEqual(
          Array(3).fill('/dev/null'),
        )
      },
    )

    it('prints nothing and exits with 0 when the front door, the worker or everything is missing', async () => {
      const home = makeHome({ holdsWorkerBack: false })
      const command = await register(home)
      const run = (line: string) => runHook(line, { env: home.env, input: stop })
      for (const missing of [
        '/nonexistent/hookbell-hook',
        '/nonexistent/node /nonexistent/hook.cjs',
        '/dev/null',
      ]) {
        expect(await run(`{ ${missing} --client droid; } >/dev/null 2>&1 || :`)).toMatchObject(
          SILENT,
        )
      }
      if (!door.isInstalled) return
      const [path = ''] = await door.argv(home)
      const text = readFileSync(path, 'utf8')
      expect(text).toContain(` worker=${shellQuote(`${home.state}/runtime/dist/worker.cjs`)}`)
      execFileSync('sed', ['-i', "s| node='[^']*'| node='/nonexistent/node'|", path])
      expect(await run(command)).toMatchObject(SILENT)
      // The worker runs with the Node.js on PATH.
      await delivered(home)
      // Not `rmSync`: the worker may still run, and may write its code cache into this folder.
      await removeFolder(join(home.state, 'runtime'))
      expect(await run(command)).toMatchObject(SILENT)
      expect(spooled(home.state)).toEqual([stop])
      renameSync(path, `${path}.gone`)
      expect(await run(command)).toMatchObject(SILENT)
    })

    it('does not wait for the receiver', async () => {
      const requests: unknown[] = []
      const server = createServer((request) => requests.push(request)).listen(0, '127.0.0.1')
      onTestFinished(() => {
        server.closeAllConnections()
        server.close()
      })
      await new Promise((resolve) => server.once('listening', resolve))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
      const channels = { chat: { type: 'slack', url } }
      const config = { channels, routes: [{ on: ['*'], to: ['chat'] }] }
      const home = makeHome({ holdsWorkerBack: false, config })
      for (let round = 0; round < 2; round += 1) {
        expect(await runHook(await register(home), { env: home.env, input: stop })).toMatchObject(
          SILENT,
        )
        await waitFor(() => requests.length > 0)
      }
    })

    it(`delivers ${HERD} simultaneous events exactly once, with one worker`, async () => {
      const home = makeHome({ holdsWorkerBack: false, config: { lingerSeconds: 600 } })
      const command = await register(home)
      const ids = Array.from({ length: HERD }, (_, index) => `herd-${index}`)
      const workers = new Set<number>()
      const runs = ids.map((session_id) =>
        runHook(command, {
          env: home.env,
          input: JSON.stringify({ ...JSON.parse(String(stop)), session_id }),
        }),
      )
      const watching = setInterval(() => {
        const pid = workerPid(home.state)
        if (pid) workers.add(pid)
      }, 5)
      for (const run of await Promise.all(runs)) expect(run).toMatchObject(SILENT)
      await delivered(home, HERD)
      clearInterval(watching)
      workers.add(await worker(home))
      expect(
        lines(home)
          .map((line) => /herd-\d+/.exec(line)?.[0])
          .sort(),
      ).toEqual([...ids].sort())
      // There may be none, if a busy machine left no time to observe the worker.
      expect(workers.size).toBeLessThan(2)
      expect(files(join(home.state, 'spool/new'))).toEqual([])
    })
  })
}

function lines(home: Home): string[] {
  return existsSync(home.audit) ? readFileSync(home.audit, 'utf8').trimEnd().split('\n') : []
}

/** Whether the hook has started the worker: there is its marker, or already the worker's lock. */
function hasStarted({ state }: Home): boolean {
  return ['worker.starting', 'worker.lock'].some((name) => existsSync(join(state, name)))
}

async function worker(home: Home): Promise<number> {
  await waitFor(() => workerPid(home.state) !== undefined)
  return workerPid(home.state) ?? 0
}

function sessionOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[3])
}

function link(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
