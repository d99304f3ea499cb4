import { expect, it, onTestFinished, vi } from 'vitest'
import { parseConfig } from '../../src/config/load/load.ts'
import { withdraw } from '../../src/deliver/message-life.ts'
import { type Step, startReceiver } from '../support/receiver.ts'

const later = { isDone: false, mayWork: true }
const never = { isDone: false, mayWork: false }

function withdrawFrom(channel: string, config: object) {
  const secrets = { file: new Map(), env: {} }
  const loaded = parseConfig(JSON.stringify(config), { path: 'config.json', secrets })
  return withdraw({ channel, handle: 'shown', sessionEnv: {} }, loaded)
}

it.each<[string, Step, object]>([
  ['is done', {}, { isDone: true, answer: 'deleted on the devices' }],
  ['that is rejected is not tried again', { status: 403 }, never],
  ['that fails for a while is tried again', { status: 503 }, later],
  ['that gets no answer is tried again', 'blackhole', later],
])('a withdrawal %s', async (_, step, expected) => {
  const { url, received } = await startReceiver({ script: [step] })
  const phone = { type: 'ntfy', server: url, topic: 'shop' }
  const config = { channels: { phone }, deliveryTimeoutSeconds: 600 }
  if (step === 'blackhole') {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
  }
  const withdrawing = withdrawFrom('phone', config)
  await expect.poll(() => received.length).toBe(1)
  if (step === 'blackhole') vi.advanceTimersByTime(600_000)
  expect(await withdrawing).toEqual(expected)
  expect(received).toMatchObject([{ method: 'DELETE', path: '/shop/shown' }])
})

it('a withdrawal may work later if the channel lacks a secret, but not if it is gone or cannot withdraw', async () => {
  const channels = {
    phone: { type: 'ntfy', topic: `\${TOPIC}` },
    file: { type: 'file', path: '/nowhere' },
  }
  expect(await withdrawFrom('phone', { channels })).toEqual(later)
  expect(await withdrawFrom('gone', { channels })).toEqual(never)
  expect(await withdrawFrom('file', { channels })).toEqual(never)
})
