import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type Door,
  type Home,
  installedDoor,
  makeHome,
  nodeDoor,
  quiet,
  runDoor,
  shDoor,
  silent,
  waitFor,
  workerPid,
} from '../hook/_door.ts'
import { startHostileTmux } from '../support/hostile-tmux.ts'
import { noTmux } from '../support/tmux.ts'

const STRANGER = 54321
const isRoot = process.getuid?.() === 0
const asStranger = ['setpriv', '--reuid', `${STRANGER}`, '--regid', `${STRANGER}`, '--clear-groups']
const canIsolate =
  isRoot && spawnSync('unshare', ['-m', '-p', '-n', '-i', '-f', 'true']).status === 0
/** Namespaces of its own, and only the folder that it is given as `$0` can be written. */
const SANDBOX = 'mount --bind "$0" "$0"; mount -o remount,ro,bind /; exec "$@"'

/** Not everything is done for both: only a question rings a bell when it reaches nobody, and it is told also to somebody there. */
const inputs = ['disk', 'network', 'model'].flatMap((session_id) => [
  // One cause in several sessions would be held.
  { hook_event_name: 'StopFailure', session_id, error: `no ${session_id}` },
  { hook_event_name: 'PermissionRequest', session_id, tool_name: 'Bash' },
])

/** Makes a folder that another user can use. */
function makeShared({ folder }: Home): string {
  const path = join(folder, 'repo')
  mkdirSync(path)
  chmodSync(path, 0o777)
  return path
}

/** The ways in which a session can name a server that is not the tmux that it runs in. @returns the path in TMUX */
const ways: Record<string, (home: Home) => Promise<Planted>> = {
  'of the same user': (home) => startHostileTmux(makeShared(home)),
  ...(isRoot && {
    'of another user': (home) => startHostileTmux(makeShared(home), asStranger),
    'behind a link that changes': async (home) => {
      const folder = makeShared(home)
      chownSync(folder, STRANGER, STRANGER)
      const [own, theirs] = [join(folder, 'own'), join(folder, 'theirs')]
      for (const path of [own, theirs]) mkdirSync(path, { mode: 0o777 })
      chmodSync(theirs, 0o777)
      const hostile = await startHostileTmux(theirs, asStranger)
      // A real socket of this user, to which the link points half of the time.
      await startHostileTmux(own)
      const swap =
        'while :; do for to in own theirs; do ln -sfn $to new; mv -fT new link; sleep 0.02; done; done'
      const [file = '', ...words] = [...asStranger, 'sh', '-c', swap]
      const child = spawn(file, words, { cwd: folder, stdio: 'ignore' })
      onTestFinished(() => void child.kill('SIGKILL'))
      return { ...hostile, socket: join(folder, 'link/s') }
    },
  }),
  ...(canIsolate && {
    'in a sandbox': async (home) => {
      const folder = makeShared(home)
      const inside = ['unshare', '-mpni', '--kill-child', 'sh', '-c', SANDBOX, folder]
      return await startHostileTmux(folder, inside)
    },
    'in another mount namespace': async (home) => {
      const folder = makeShared(home)
      const hostile = await startHostileTmux(folder, ['unshare', '-m'])
      return { ...hostile, socket: `/proc/${hostile.pid}/root${hostile.socket}` }
    },
  }),
}

type Planted = Awaited<ReturnType<typeof startHostileTmux>>

const settings = {
  noise: { skipAtTerminal: true },
  channels: { here: { type: 'terminal' } },
  routes: [{ on: ['*'], to: ['here'] }],
}

async function tell(door: Door, home: Home, event: object, { socket, pid }: Planted) {
  const input = JSON.stringify(event)
  const env = { ...home.env, TMUX: `${socket},${pid},0`, TMUX_PANE: '%0', TERM: 'tmux-256color' }
  expect(quiet(await runDoor(door, home, { input, env }))).toEqual(silent)
}

describe.skipIf(noTmux)(`a tmux server that a session names${noTmux}`, () => {
  it('would take over a client of tmux that connects to it', async () => {
    const { socket, hasTakenOver } = await startHostileTmux(makeShared(makeHome()))
    spawnSync('tmux', ['-S', socket, 'list-clients'], { timeout: 60_000 })
    expect(hasTakenOver()).toBe(true)
  })

  it.each(Object.keys(ways))('is never spoken to if it is %s', async (way) => {
    const home = makeHome({ holdsWorkerBack: false, config: settings })
    const planted = await (ways[way] as (typeof ways)[string])(home)
    for (const event of inputs) await tell(shDoor, home, event, planted)
    // When the worker has ended, nothing is left that it could do.
    const isDone = () => journalOf(home).match(/"type":"accepted"/g)?.length === inputs.length
    await waitFor(() => isDone() && workerPid(home.state) === undefined)
    expect(planted.wasReached()).toBe(false)
  })

  it.each([shDoor, nodeDoor, installedDoor])(
    'is never spoken to by default: $name',
    async (door) => {
      const home = makeHome({ holdsWorkerBack: false })
      rmSync(join(home.config, 'config.json'))
      const planted = await startHostileTmux(makeShared(home))
      await tell(door, home, inputs[1] ?? {}, planted)
      // The last thing that is done for a question that reached nobody is to ring the bell of its terminal.
      await waitFor(() => journalOf(home).includes('its terminal could not be rung'))
      expect(planted.wasReached()).toBe(false)
    },
  )
})

function journalOf({ state }: Home): string {
  const path = join(state, 'journal.jsonl')
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
