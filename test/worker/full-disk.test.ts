import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { workerEnvironment } from '../../src/config/worker-env.ts'
import { prepareSpool } from '../../src/spool/layout.ts'
import { root } from '../support/home.ts'
import { builtWorker } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { exited, makeWorld, type World } from './_world.ts'

const canMount =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'x', '/mnt']).status === 0

/** Makes a disk on which a worker has run before, with no free byte or inode, and with one event on it. */
const FILL = `
  cd "$STATE" && mount -t tmpfs -o "mode=700,$SIZE" x "$STATE" && cd "$STATE"
  "$NODE" "$WORKER"
  printf 'hookbell-event 1\\nclient: claude\\n\\n{"hook_event_name":"Stop"}' >spool/new/waits
  for folder in $MISSING; do rmdir "spool/$folder"; done
  fill() {
    mkdir fill
    case $SIZE in
      *nr_inodes*) n=0; while touch "fill/$n" 2>/dev/null; do n=$((n + 1)); done ;;
      *) head -c 9000000 /dev/zero 2>/dev/null >fill/0 ;;
    esac
  }
  fill
`

const DELIVER = `
  "$NODE" "$WORKER" &
  while [ ! -e "$GO" ]; do sleep 0.05; done
  ls . spool/* | sed 's/^/full: /'
  rm -r fill
  wait
  ls . spool/* | sed 's/^/then: /'
  cat journal.jsonl
`

/** Two events for the fallback folder, and a start of a worker while there is room again. */
const BREAK = `
  rm spool/new/waits
  printf nonsense >"$HOOKBELL_CONFIG_DIR/config.json"
  fall_back() {
    printf 'hookbell-event 1\\nclient: claude\\n\\n{"hook_event_name":"FutureEvent"}' >"$HOOKBELL_FALLBACK_DIR/spool/new/$1"
    "$NODE" "$WORKER"
  }
  fall_back first
  fall_back second
  rm -r fill
  "$NODE" "$WORKER"
`

const FALL_BACK_AGAIN = `
  fill
  fall_back third
`

const EXPLAIN = `
  "$NODE" "$WORKER"
  "$NODE" "$PROGRAM" status
  "$NODE" "$PROGRAM" doctor --offline
`

function startOnFullDisk(world: World, size: string, missing = '', then = DELIVER) {
  const child = spawn('unshare', ['-m', 'sh', '-c', FILL + then], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...workerEnvironment(world.stateDir, world.env),
      ...{ STATE: world.stateDir, SIZE: size, MISSING: missing, GO: join(world.folder, 'go') },
      ...{ NODE: process.execPath, WORKER: builtWorker, PROGRAM: join(root, 'bin/hookbell') },
    },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, output: outputOf(child) }
}

async function outputOf(child: ChildProcess) {
  let text = ''
  child.stdout?.on('data', (chunk) => {
    text += chunk
  })
  await exited(child)
  return text
}

describe.skipIf(!canMount)('a worker that starts on a full disk', () => {
  it.each(['size=400k', 'size=4m,nr_inodes=30'])(
    'delivers the event once, and records that when there is room again (%s)',
    async (size) => {
      const { world, received } = await makeTeam()
      const { output } = startOnFullDisk(world, size)
      await expect.poll(() => received.length).toBe(1)
      writeFileSync(join(world.folder, 'go'), '')
      const text = await output
      expect(text).not.toMatch(/^full: worker\..*\.(stale|tmp)|^full: worker\.lock\./m)
      expect(text).not.toMatch(/^then: (waits|worker\.)/m)
      expect(text).toMatch(/"id":"waits","type":"delivered"/)
      expect(received).toHaveLength(1)
    },
  )

  it.each(['tmp', 'cur', 'cards', 'dead', 'corrupt'])(
    'delivers the event although %s/ is missing and cannot be made',
    async (missing) => {
      const { world, received } = await makeTeam()
      const { output } = startOnFullDisk(world, 'size=4m,nr_inodes=30', missing)
      await expect.poll(() => received.length).toBe(1)
      writeFileSync(join(world.folder, 'go'), '')
      expect(await output).toMatch(/"id":"waits","type":"delivered"/)
    },
  )

  it('is said by `status` and `doctor` to have no folder, if none is in reserve', async () => {
    const { world, received } = await makeTeam()
    const missing = 'cur spare/worker spare'
    const text = await startOnFullDisk(world, 'size=4m,nr_inodes=30', missing, EXPLAIN).output
    const why = `${world.spool.cur}: no worker can make its folder there, because the disk has no room for another file; events that wait: 1`
    expect(text.replaceAll(/\n +/g, ' ').split(why)).toHaveLength(3)
    expect(received).toEqual([])
  })
})

describe.skipIf(!canMount)('a configuration that is broken while the disk is full', () => {
  it.each([
    ['there is room', BREAK],
    ['there is room, even if the disk is full again after that', BREAK + FALL_BACK_AGAIN],
  ])(
    'is reported once from the fallback folder, and by the state folder once %s',
    async (_, then) => {
      const requests: string[] = []
      const { url: server } = await startReceiver({
        script: [
          ({ method, path, body }) => {
            const message = method === 'DELETE' ? {} : JSON.parse(body)
            requests.push(message.title ?? `${method} ${path}`)
            const { sequence_id } = message
            return { body: JSON.stringify({ id: 'x', event: 'message', sequence_id }) }
          },
        ],
      })
      const world = makeWorld()
      const desktop = { type: 'ntfy', server, topic: 'shop' }
      world.configure({ channels: { desktop }, lingerSeconds: 0 })
      const fallback = join(world.folder, 'fallback')
      mkdirSync(fallback, { mode: 0o700 })
      prepareSpool(fallback)
      const env = { ...world.env, HOOKBELL_FALLBACK_DIR: fallback }
      const { output } = startOnFullDisk({ ...world, env }, 'size=4m,nr_inodes=30', '', then)
      const report = 'hookbell: the configuration cannot be used'
      await output
      // Both folders are served at the same time.
      expect(requests.sort()).toEqual([expect.stringMatching('^DELETE /shop/'), report, report])
    },
  )
})

async function makeTeam() {
  const { url, received } = await startReceiver()
  const world = makeWorld()
  const channels = { team: { type: 'slack', url: `${url}/services/x` } }
  world.configure({ channels, routes: [{ on: ['*'], to: ['team'] }], lingerSeconds: 0 })
  return { world, received }
}
