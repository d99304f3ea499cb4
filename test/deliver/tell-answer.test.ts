import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { builtInConfig } from '../../src/config/load/load.ts'
import type { Config } from '../../src/config/schema/schema.ts'
import { tellAnswer } from '../../src/deliver/tell-answer.ts'
import { refusedPort } from '../support/port.ts'
import { hasRedis, startRedis } from '../support/redis.ts'

const answer = { host: 'here', session: 's', at: 1, isForAll: true, questions: [] }

/** Reports the answer to the hub at this URL, which is the second channel. Without a URL, there is no hub. */
function tell(url?: string, deliveryTimeoutSeconds = 600) {
  const team = url && { type: 'hub', url }
  const channels = { file: { type: 'file', path: '/nowhere' }, ...(team && { team }) }
  const loaded = builtInConfig()
  const config = { ...loaded.config, channels, deliveryTimeoutSeconds } as unknown as Config
  return tellAnswer(answer, { ...loaded, config }, { now: Date.now })
}

describe('an answer', () => {
  it('is not reported if there is no hub', async () => {
    expect(await tell()).toBe(true)
  })

  it('is not reported again to a hub that must not be used', async () => {
    expect(await tell('redis://hub.example')).toBe(true)
  })

  it('is reported again to a hub that is down or does not respond', async () => {
    const deaf = createServer((socket) => void socket.on('error', () => {}).resume())
    await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void deaf.close())
    const address = deaf.address()
    const port = typeof address === 'object' ? address?.port : 0
    expect(await tell(`redis://127.0.0.1:${port}`, 0.5)).toBe(false)
    expect(await tell(`redis://127.0.0.1:${await refusedPort()}`)).toBe(false)
  })

  it.skipIf(!hasRedis)('is reported to the hub, whatever channels come before it', async () => {
    const redis = await startRedis()
    expect(await tell(redis.url())).toBe(true)
    expect(await redis.ask('LLEN', 'hb:in')).toBe(1)
  })
})
