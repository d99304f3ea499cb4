import { idAtHub } from '../../src/hub/handed-over.ts'
import { type OpenHub, withHub } from '../../src/hub-server/status.ts'
import { startRedis } from '../support/redis.ts'
import { refusal, startSmtpServer } from '../support/smtp.ts'
import { asUser, handOver, hubConfig, runHub, users } from './_hub.ts'

export const quick = { retry: { firstDelaySeconds: 0.1, maxDelaySeconds: 0.2 } }
export const never = { retry: { firstDelaySeconds: 3600, maxDelaySeconds: 3600 } }

/** A hub with a mail channel to `old@x.test` and `new@x.test`, of whom the server refuses `new` at first. */
export async function startGreylisted() {
  const state = { isRefusing: true, isDown: false, asked: 0, greetsAfterMs: 0 }
  const { port, received } = await startSmtpServer({
    onConnect: (_session, callback) =>
      void setTimeout(callback, state.greetsAfterMs, state.isDown ? refusal(421, 'closed') : null),
    onRcptTo({ address }, _session, callback) {
      if (address === 'old@x.test') return callback(null)
      state.asked += 1
      callback(state.isRefusing ? refusal(450, 'greylisted') : null)
    },
  })
  const server = await startRedis({ users })
  const redis = asUser(server, 'hub')
  const mail = { type: 'email', smtp: `smtp://127.0.0.1:${port}`, from: 'a@x.test' }
  const channels = { team: { ...mail, to: ['old@x.test', 'new@x.test'] } }
  return {
    state,
    channels,
    redis: { ...redis, port: server.port },
    handOver: async (event: string, changes?: object) =>
      idAtHub(await handOver(redis, event, changes)) ?? '',
    start: (retry: object, to: object = channels) => runHub(redis, to, retry),
    /** Opens the queues while `work` runs. No hub runs meanwhile. */
    open: (work: (hub: OpenHub) => Promise<void>) => withHub(hubConfig(redis, channels), work),
    mails: () => received.map(({ to, mail: { subject } }) => `${to} ${subject?.slice(-20)}`),
    /** The recipients of the mails that contain these words. */
    whoGot: (words: string) =>
      received.filter(({ mail: { text } }) => text?.includes(words)).flatMap(({ to }) => to),
  }
}
