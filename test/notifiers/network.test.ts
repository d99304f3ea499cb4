import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  answerLine,
  connectionFailure,
  httpFailure,
  urlSecrets,
} from '../../src/notifiers/_network.ts'
import { parseRetryAfter } from '../../src/notifiers/_retry-after.ts'
import { makeAuthority } from '../support/authority.ts'

const now = Date.parse('2026-11-20T12:00:00Z')

describe('a Retry-After header', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['1.5', 1500],
    [' 3 ', 3000],
    ['Fri, 20 Nov 2026 12:00:10 GMT', 10_000],
    ['Friday, 20-Nov-26 12:00:10 GMT', 10_000],
    ['Fri Nov 20 12:00:10 2026', 10_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['9'.repeat(400), 366 * 24 * 3_600_000],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
    ['-1', undefined],
    ['1,5', undefined],
    ['1e3', undefined],
    ['soon', undefined],
    ['2026', 2_026_000],
    ['2026-11-20', undefined],
    ['Fri, 99 Nov 2026 12:00:10 GMT', undefined],
  ])('with the value %j means %j ms', (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected)
  })
})

describe('the answer of a receiver', () => {
  it.each([
    ['invalid_payload\n', 'invalid_payload'],
    [
      `<!DOCTYPE html>\n<!--[if lt IE 7]> ${'<html class="ie6">'.repeat(50)}<![endif]-->\n<title>x.test | 502: Bad\n gateway</title>`,
      'x.test | 502: Bad gateway',
    ],
    ['<html><title> </title><h1>Not found</h1>', '<html><title> </title><h1>Not found</h1>'],
    ['no <title>x</title>', 'no <title>x</title>'],
  ])('%j is shown as one line, and a page as its title', (text, line) => {
    expect(answerLine(text, [])).toBe(line)
  })
})

describe('a response that is not a success', () => {
  it.each([
    ['404 Not Found', 'webhook: 404 Not Found'],
    ['404', 'webhook: 404 404'],
    ['no such hook', 'webhook: 404 no such hook'],
    ['', 'webhook: 404'],
  ])('with the text %j is reported as %j', (text, message) => {
    expect(httpFailure('webhook', { status: 404, text, headers: {} }).message).toBe(message)
  })
})

describe('the secrets in a URL', () => {
  it.each([
    ['/hook?k=abc%2Bdefghi%3D', 'no hook abc+defghi='],
    ['/hook?k=abc%2Bdefghi%3D', 'GET /hook?k=abc+defghi= failed'],
    ['/abc%2Bdefghi%3D', 'no hook abc+defghi='],
    ['/abc%2Bdefghi%', 'no hook abc%2Bdefghi%'],
  ])('of the path %s are removed from %j', (path, text) => {
    expect(answerLine(text, urlSecrets(`https://x.test${path}`))).not.toContain('defghi')
  })

  it('include its user and password', () => {
    const secrets = urlSecrets('https://me-myself-i:pass%2Bword-9@x.test/a')
    expect(answerLine('not me-myself-i, nor pass+word-9', secrets)).not.toMatch(/myself|word-9/)
  })
})

describe('a certificate that is not trusted', () => {
  it('leads to an error with the setting for its authority', async () => {
    const authority = await makeAuthority()
    onTestFinished(authority.remove)
    const server = createServer(await authority.issue('DNS:localhost'), () => {})
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const error: unknown = await fetch(`https://localhost:${port}`).catch((cause) => cause)
    const { signal } = new AbortController()
    expect(connectionFailure('webhook', error, { signal, secrets: [] })).toMatchObject({
      message: expect.stringContaining('certificate'),
      hint: expect.stringContaining('extraCaFile'),
    })
  })
})
