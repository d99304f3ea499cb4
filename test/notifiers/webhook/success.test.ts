import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { webhook } from '../../../src/notifiers/webhook.ts'
import { startReceiver } from '../../support/receiver.ts'
import { allTextOf, answerOf, failureOf, makeContext, makeMessage } from '../_suite.ts'

const CANARY = 'canary5ecretToken'

/** Sends to a server that answers with this body. */
async function sendTo(
  answer: { status?: number; body?: string; headers?: Record<string, string>; delayMs?: number },
  success?: unknown,
  path = `/hook/${CANARY}`,
) {
  const { url } = await startReceiver({ script: [{ status: 200, ...answer }] })
  const channel = webhook.options.parse({ url: `${url}${path}`, ...(success ? { success } : {}) })
  return webhook.send(makeMessage(), channel, makeContext())
}

/** Paths of their URLs, as their documents have them. */
const paths = {
  feishu: `/open-apis/bot/v2/hook/${CANARY}`,
  dingtalk: `/robot/send?access_token=${CANARY}`,
  wecom: `/cgi-bin/webhook/send?key=${CANARY}`,
}
type Service = keyof typeof paths

const accepted: [Service, string][] = [
  ['feishu', '{"StatusCode":0,"StatusMessage":"success","code":0,"data":{},"msg":"success"}'],
  ['feishu', '{"Extra":null,"StatusCode":0,"StatusMessage":"success"}'],
  ['feishu', '{"code":0,"msg":"success","data":{}}'],
  ['dingtalk', '{"errcode":0,"errmsg":"ok"}'],
  ['wecom', '{"errcode":0,"errmsg":"ok"}'],
  ['wecom', '{"errcode":"0","errmsg":"ok"}'],
]

const refused: [Service, string, 'retry' | 'give-up', string][] = [
  [
    'feishu',
    '{"code":19002,"data":{},"msg":"params error, msg_type need"}',
    'give-up',
    'code is 19002: params error',
  ],
  [
    'feishu',
    '{"code":19021,"msg":"sign match fail or timestamp is not within one hour"}',
    'give-up',
    '19021: sign match fail',
  ],
  ['feishu', '{"code":19024,"msg":"Key Words Not Found"}', 'give-up', 'Key Words Not Found'],
  ['feishu', '{"code":9499,"msg":"Bad Request","data":{}}', 'give-up', 'code is 9499: Bad Request'],
  ['feishu', '{"code":9499,"msg":"too many request"}', 'retry', 'code is 9499: too many request'],
  [
    'feishu',
    '{"code":11232,"msg":"frequency limited"}',
    'retry',
    'code is 11232: frequency limited',
  ],
  [
    'feishu',
    '{"StatusCode":11232,"StatusMessage":"limited"}',
    'retry',
    'StatusCode is 11232: limited',
  ],
  [
    'dingtalk',
    '{"errcode":310000,"errmsg":"keywords not in content"}',
    'give-up',
    'errcode is 310000: keywords',
  ],
  ['dingtalk', '{"errcode":300001,"errmsg":"token is not exist"}', 'give-up', 'token is not exist'],
  [
    'dingtalk',
    '{"status":1111,"wait":5,"errcode":130101,"errmsg":"send too fast, exceed 20 times per minute"}',
    'retry',
    'send too fast',
  ],
  ['dingtalk', '{"errcode":-1,"errmsg":"系统繁忙"}', 'retry', 'errcode is -1: 系统繁忙'],
  [
    'wecom',
    '{"errcode":93000,"errmsg":"invalid webhook url, hint: [1]"}',
    'give-up',
    'errcode is 93000: invalid webhook url',
  ],
  [
    'wecom',
    '{"errcode":45009,"errmsg":"api freq out of limit"}',
    'retry',
    'errcode is 45009: api freq out of limit',
  ],
  ['wecom', '{"errcode":-1,"errmsg":"system busy"}', 'retry', 'system busy'],
]

describe('notifiers: webhook: an answer in the body', () => {
  describe.each(['as the channel says', 'as its URL shows'])('of a known service, %s', (how) => {
    const send = (service: Service, body: string) =>
      how === 'as its URL shows'
        ? sendTo({ body }, undefined, paths[service])
        : sendTo({ body }, service)

    it.each(accepted)('that is a success of %s is one: %s', async (service, body) => {
      expect(answerOf(await send(service, body))).not.toBe('')
    })

    it.each(refused)(
      'that is a refusal of %s is told: %s',
      async (service, body, verdict, words) => {
        const error = await failureOf(send(service, body))
        expect(error).toMatchObject({ verdict, message: expect.stringContaining(words) })
        expect(error.message).toMatch(/^webhook: 200, but /)
      },
    )
  })

  it.each([
    ['', 'the answer has no code or StatusCode'],
    ['ok', 'the answer has no code or StatusCode: ok'],
    ['{"msg":"?"}', 'the answer has no code or StatusCode: ?'],
    ['[0]', 'the answer has no code'],
    ['{"code":null}', 'the answer has no code'],
    ['{"code":{"a":0}}', 'the answer has no code'],
    ['<html><title>Log in</title></html>', 'the answer has no code or StatusCode: Log in'],
    ['{"code":0', 'the answer has no code'],
  ])('without the field is no success if the channel asks for it: %s', async (body, words) => {
    const error = await failureOf(sendTo({ body }, 'feishu'))
    expect(error).toMatchObject({ verdict: 'retry', message: expect.stringContaining(words) })
    // A server of another service may have such a path.
    expect(answerOf(await sendTo({ body }, undefined, paths.feishu))).not.toBe('')
  })

  it.each<[object, string, 'sent' | 'retry' | 'give-up']>([
    [{ field: 'ok', equals: true }, '{"ok":true}', 'sent'],
    [{ field: 'ok', equals: true }, '{"ok":false,"error":"no"}', 'retry'],
    [{ field: 'status', equals: 'sent' }, '{"status":"sent"}', 'sent'],
    [{ field: 'result.code', equals: 0 }, '{"result":{"code":0}}', 'sent'],
    [{ field: 'result.code', equals: 0 }, '{"result.code":0}', 'retry'],
    [{ field: 'code', equals: 200 }, '{"code":"200"}', 'sent'],
    [{ field: 'code', equals: 0, retry: [429] }, '{"code":429}', 'retry'],
    [{ field: 'code', equals: 0, retry: [429] }, '{"code":400}', 'give-up'],
    [{ field: 'code', equals: 0, retry: [] }, '{"code":429}', 'give-up'],
    [{ field: '__proto__', equals: 0 }, '{}', 'retry'],
    [{ field: 'constructor.name', equals: 'Object' }, '{}', 'retry'],
  ])('is judged by %j: %s', async (success, body, verdict) => {
    const sending = sendTo({ body }, success)
    if (verdict === 'sent') expect(answerOf(await sending)).toBe(body)
    else expect((await failureOf(sending)).verdict).toBe(verdict)
  })

  it('does not make a success of another status, but may make it temporary', async () => {
    const fine = '{"code":0,"msg":"success"}'
    expect(await failureOf(sendTo({ status: 400, body: fine }, 'feishu'))).toMatchObject({
      verdict: 'give-up',
    })
    const limited = {
      status: 400,
      body: '{"code":11232,"msg":"limited"}',
      headers: { 'retry-after': '7' },
    }
    expect(await failureOf(sendTo(limited, 'feishu'))).toMatchObject({
      verdict: 'retry',
      retryAfterMs: 7000,
    })
    const missing = { status: 404, body: 'not here' }
    expect(await failureOf(sendTo(missing, { field: 'a', equals: 1 }))).toMatchObject({
      verdict: 'give-up',
    })
  })

  it('is waited for, unlike that of a channel that does not ask for it', async () => {
    const held: ServerResponse[] = []
    const server = createServer((_, response) => {
      held.push(response)
      response.writeHead(200).flushHeaders()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const send = (more: object) =>
      webhook.send(makeMessage(), webhook.options.parse({ url, ...more }), makeContext())
    const asking = send({ success: 'wecom' })
    expect(await send({})).toBe('200 OK')
    for (const response of held) response.end('{"errcode":0}')
    expect(await asking).toBe('{"errcode":0}')
  })

  it('is shown without the secrets of the channel', async () => {
    const body = JSON.stringify({ errcode: CANARY, errmsg: `no ${CANARY}\u001b[31m`, more: CANARY })
    for (const path of [paths.dingtalk, paths.wecom]) {
      const error = await failureOf(sendTo({ body }, undefined, path))
      expect(allTextOf(error)).not.toContain(CANARY)
      expect(error.message).not.toContain('\u001b')
    }
  })

  it.each([
    'slack',
    '',
    1,
    {},
    { field: 'code' },
    { equals: 0 },
    { field: '', equals: 0 },
    { field: 'a b', equals: 0 },
    { field: 'code', equals: null },
    { field: 'code', equals: 0, retry: 1 },
    { field: 'code', equals: 0, more: 1 },
  ])('cannot be described by %j', (success) => {
    const { error } = webhook.options.safeParse({ url: 'https://example.com', success })
    expect(error?.issues[0]?.path[0]).toBe('success')
  })
})
