import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { builtInConfig } from '../../../src/config/load/load.ts'
import type { Config } from '../../../src/config/schema/schema.ts'
import type { Answer } from '../../../src/delivery.ts'
import { AnswerReports, tellAnswer } from '../../../src/worker/watch/answer-reports.ts'
import { refusedPort } from '../../support/port.ts'
import { hasRedis, startRedis } from '../../support/redis.ts'

const answer = { host: 'here', session: 's', at: 1, isForAll: true, questions: [] }

/** Reports of answers to a hub that may be down or hang, and the reports that reached it. */
function makeReports() {
  const hub = { told: [] as Answer[], isUp: true, pause: Promise.resolve() }
  const tell = async (answer: Answer) => {
    hub.told.push(answer)
    await hub.pause
    return hub.isUp
  }
  const reports = new AnswerReports({ host: 'here', tell })
  const report = (session: string, questions: string[], at = 1, isForAll = false) =>
    reports.report({ session, at, isForAll, questions })
  /** Makes the hub hang until the returned function is called. */
  const hang = () => {
    let goOn = () => {}
    hub.pause = new Promise((resolve) => {
      goOn = resolve
    })
    return () => goOn()
  }
  const turn = () => vi.advanceTimersByTimeAsync(0)
  return { hang, hub, report, reports, turn }
}

describe('answers', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('are reported at once, and for each question once', async () => {
    const { hub, report, turn } = makeReports()
    report('s1', ['a'])
    await turn()
    expect(hub.told).toEqual([
      { host: 'here', session: 's1', at: 1, isForAll: false, questions: ['a'] },
    ])
    report('s1', ['a'])
    await turn()
    report('s1', ['a', 'b'])
    await turn()
    report('s1', ['a', 'b'], 2, true)
    await turn()
    expect(hub.told.slice(1)).toMatchObject([
      { isForAll: false, questions: ['b'] },
      { isForAll: true, questions: [], at: 2 },
    ])
  })

  it('of one session that wait are reported together, and sessions one after the other', async () => {
    const { hang, hub, report, turn } = makeReports()
    const goOn = hang()
    report('s0', ['x'])
    report('s1', ['a'], 5)
    report('s2', ['y'], 6)
    report('s1', ['a', 'b'], 7)
    await turn()
    expect(hub.told.map(({ session }) => session)).toEqual(['s0'])
    goOn()
    await turn()
    expect(hub.told.slice(1)).toMatchObject([
      { session: 's2', questions: ['y'], at: 6 },
      { session: 's1', questions: ['a', 'b'], at: 7, isForAll: false },
    ])
  })

  it('to single questions do not change the time of an answer to all questions', async () => {
    const { hang, hub, report, turn } = makeReports()
    const goOn = hang()
    report('s0', ['x'])
    report('s1', [], 3, true)
    report('s1', ['a'], 9)
    report('s1', [], 4, true)
    report('s1', ['b'], 8)
    goOn()
    await turn()
    expect(hub.told.slice(1)).toMatchObject([{ at: 4, isForAll: true, questions: ['a', 'b'] }])
  })

  it('are reported again at growing intervals of up to a minute, until the hub accepts them', async () => {
    const { hub, report, turn } = makeReports()
    hub.isUp = false
    report('s1', ['a'])
    await turn()
    const waits: number[] = []
    for (let attempt = 1; attempt < 8; attempt += 1) {
      // New answers wait with the failed ones.
      report('s1', [`b${attempt}`])
      let ms = 0
      while (hub.told.length === attempt) {
        await vi.advanceTimersByTimeAsync(1000)
        ms += 1000
      }
      waits.push(ms)
    }
    expect(waits).toEqual([2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
    hub.isUp = true
    await vi.advanceTimersByTimeAsync(60_000)
    expect(hub.told.at(-1)?.questions).toHaveLength(8)
    // The hub works again: nothing waits any more.
    const told = hub.told.length
    await vi.advanceTimersByTimeAsync(180_000)
    expect(hub.told).toHaveLength(told)
    report('s2', ['c'])
    await turn()
    expect(hub.told.at(-1)).toMatchObject({ session: 's2' })
  })

  it('get a last attempt when the worker ends, which takes at most two seconds', async () => {
    const { hang, hub, report, reports, turn } = makeReports()
    hub.isUp = false
    report('s1', ['a'])
    await turn()
    hub.isUp = true
    await reports.close()
    await vi.advanceTimersByTimeAsync(120_000)
    expect(hub.told).toHaveLength(2)
    hang()
    report('s2', ['b'])
    let isClosed = false
    void reports.close().then(() => {
      isClosed = true
    })
    await vi.advanceTimersByTimeAsync(1999)
    expect(isClosed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(isClosed).toBe(true)
  })

  it('are dropped if too many wait, the oldest first', async () => {
    const { hang, hub, report, turn } = makeReports()
    const goOn = hang()
    report('s', ['x'])
    for (let index = 0; index < 501; index += 1) report(`s${index}`, ['a'])
    goOn()
    await turn()
    expect(hub.told).toHaveLength(501)
    expect(hub.told[1]?.session).toBe('s1')
  })

  it('are reported again if their question was forgotten after a thousand others', async () => {
    const { hub, report, turn } = makeReports()
    report('s', ['a', ...Array.from({ length: 1000 }, (_, index) => `q${index}`)])
    await turn()
    report('s', ['q0'])
    report('s', ['a'])
    await turn()
    expect(hub.told.slice(1)).toMatchObject([{ questions: ['a'] }])
  })
})

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
