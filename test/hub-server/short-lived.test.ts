import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { startReceiver } from '../support/receiver.ts'
import { hasRedis, startRedis } from '../support/redis.ts'
import { makeMachine } from './_fleet.ts'
import { runHub } from './_hub.ts'

/** Runs a command like a container: in its own process namespace, which ends with its first process. */
const computer = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child=SIGKILL']
const canUnshare = spawnSync(computer[0] ?? '', [...computer.slice(1), 'true']).status === 0

/** Runs a few hooks and then the stop hook of the container, and ends at once. */
const LIFE = `
  for number in 0 1 2 3 4; do
    printf '{"hook_event_name":"Stop","session_id":"s","cwd":"/srv/team","last_assistant_message":"#%s#"}' $number |
      "$1-hook" --client claude
  done
  "$0" "$1" drain --timeout "$2"
  echo "exit $?"
  exec sleep 1000
`

async function live(url: string, timeout: string) {
  const machine = await makeMachine({ url }, ['team'], { prefix: computer })
  const ended = machine.startAny(['sh', '-c', LIFE, process.execPath, machine.cli, timeout])
  await expect.poll(ended.output).toContain('exit ')
  await ended.kill()
  return ended.output()
}

describe.skipIf(!hasRedis || !canUnshare)('hub: a short-lived computer', () => {
  it('hands over all events before it ends', async () => {
    const [redis, receiver] = [await startRedis(), await startReceiver()]
    expect(await live(redis.url(), '1h')).toContain('Nothing is left\nexit 0')
    await runHub(redis, { team: { type: 'webhook', url: receiver.url, allowPrivateNetwork: true } })
    const tags = () => receiver.received.map(({ body }) => body.match(/#(\d)#/)?.[1])
    await expect.poll(tags).toEqual(['0', '1', '2', '3', '4'])
  })

  it('reports the events that are lost when the hub cannot be reached', async () => {
    expect(await live('redis://127.0.0.1:1', '1s')).toMatch(/5 events are left.*\nexit 1/)
  })
})
