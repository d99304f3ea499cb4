import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { MINUTE, makeFault, NOW, startTestEmulator } from './_support.ts'

const SCAN = '/api/v0/automations/ci/scan'
const keyless = { key: null }

describe('the control path', () => {
  it('adds, lists and clears faults', async () => {
    const emulator = await startTestEmulator()
    const fault = makeFault({ path: SCAN }, { status: 500 })
    const one = await emulator.post('/__emulator/faults', fault, keyless)
    expect(one.status).toBe(200)
    await emulator.post('/__emulator/faults', [fault, fault], keyless)
    expect((await emulator.get('/__emulator/faults', keyless)).body.faults).toHaveLength(3)
    expect((await emulator.get(SCAN)).status).toBe(500)
    expect((await emulator.delete('/__emulator/faults', keyless)).body).toEqual({ faults: [] })
    expect((await emulator.get(SCAN)).status).toBe(200)
  })

  it('rejects a body that is too large, instead of treating it as empty', async () => {
    const emulator = await startTestEmulator({ seed: { behavior: { maxBodyBytes: 100 } } })
    const faults = [makeFault({ path: SCAN }, { status: 500, body: 'x'.repeat(100) })]
    expect((await emulator.post('/__emulator/faults', faults, keyless)).status).toBe(413)
    expect(emulator.faults.list()).toEqual([])
  })

  it('lists and clears requests, without its own', async () => {
    const emulator = await startTestEmulator()
    await emulator.get(SCAN)
    const { requests } = (await emulator.get('/__emulator/requests', keyless)).body
    expect(requests).toMatchObject([{ path: SCAN, status: 200 }])
    await emulator.delete('/__emulator/requests', keyless)
    expect(emulator.requests()).toEqual([])
  })

  it('reads, advances and sets the clock', async () => {
    const emulator = await startTestEmulator()
    const clock = '/__emulator/clock'
    expect((await emulator.get(clock, keyless)).body).toEqual({ now: NOW })
    const moved = await emulator.post(clock, { advanceMs: MINUTE }, keyless)
    expect(moved.body).toEqual({ now: NOW + MINUTE })
    expect(emulator.clock.now()).toBe(NOW + MINUTE)
    expect((await emulator.post(clock, { now: 5 }, keyless)).body).toEqual({ now: 5 })
  })

  it('resets the state, the faults, the requests and the clock', async () => {
    const emulator = await startTestEmulator()
    const fresh = emulator.state()
    await emulator.delete(`/api/v0/computers/${emulator.computerId}`)
    emulator.faults.add(makeFault({ path: SCAN }, { status: 500 }))
    emulator.clock.advance(MINUTE)
    expect((await emulator.post('/__emulator/reset', undefined, keyless)).body).toEqual({})
    expect(emulator.state()).toEqual(fresh)
    expect(emulator.requests()).toEqual([])
    expect(emulator.faults.list()).toEqual([])
    expect(emulator.clock.now()).toBe(NOW)
  })

  it('returns the current state without the values of keys', async () => {
    const emulator = await startTestEmulator()
    await emulator.post(`/api/v0/sessions/${emulator.sessionId}/messages`, { text: 'hello' })
    emulator.clock.advance(MINUTE)
    const { body, text } = await emulator.get('/__emulator/state', keyless)
    expect(body.sessions[0].status).toBe('idle')
    expect(body.keys[0]).toMatchObject({ id: 'key_of_user_ada' })
    expect(text).not.toContain(emulator.apiKey)
  })

  it('is available on both ports', async () => {
    const emulator = await startTestEmulator({ appPort: 0 })
    const answer = await fetch(`${emulator.appUrl}/__emulator/clock`)
    expect(await answer.json()).toEqual({ now: NOW })
  })

  it.each([
    [{}, 200],
    [{ host: 'localhost:4711' }, 200],
    [{ host: '[::1]:4711' }, 200],
    [{ host: 'rebound.example' }, 403],
    [{ host: '127.0.0.1.rebound.example:80' }, 403],
    [{ origin: 'https://page.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: 'http://localhost:4711' }, 403],
  ])('with the headers %j responds with %d', async (headers, status) => {
    const emulator = await startTestEmulator()
    const faults = [makeFault({ path: SCAN }, { status: 500 })]
    expect(await post(`${emulator.url}/__emulator/faults`, headers, faults)).toBe(status)
    expect(emulator.faults.list()).toHaveLength(status === 200 ? 1 : 0)
  })

  it.each([
    ['POST', 'faults', makeFault({ path: 'scan' }, { hang: true }), 400, 'path'],
    ['POST', 'faults', '{', 400, 'not JSON'],
    ['POST', 'clock', {}, 400, 'body'],
    ['POST', 'clock', { advanceMs: 0.5 }, 400, 'advanceMs'],
    ['POST', 'clock', { now: 8.64e15 }, 400, 'between 1970 and 9999'],
    ['POST', 'clock', { advanceMs: -NOW - 1 }, 400, 'between 1970 and 9999'],
    ['POST', 'faults', '['.repeat(101), 400, 'nested deeper than 100 levels'],
    ['GET', 'nope', undefined, 404, 'GET faults'],
    ['PUT', 'clock', {}, 404, 'POST clock'],
  ])('rejects %s %s with %j', async (method, name, body, status, detail) => {
    const emulator = await startTestEmulator()
    const answer = await emulator.call(method, `/__emulator/${name}`, { body, ...keyless })
    expect(answer.status).toBe(status)
    expect(answer.body.detail).toContain(detail)
  })
})

/** Unlike fetch, allows setting the Host header. Resolves to the status. */
function post(url: string, headers: Record<string, string>, body: unknown) {
  return new Promise<number | undefined>((resolve, reject) => {
    request(url, { method: 'POST', headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end(JSON.stringify(body))
  })
}
