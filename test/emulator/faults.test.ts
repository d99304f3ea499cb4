import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeFaults } from '../../src/emulator/faults.ts'
import { type FaultInput, loadFaults } from '../../src/emulator/index.ts'
import { makeFolder } from '../support/folder.ts'
import { makeFault, startTestEmulator, type TestEmulator } from './_support.ts'

const SCAN = '/api/v0/automations/ci/scan'
const GLOBAL = '/api/v0/organization/usage/limits/global'
const setGlobal = (emulator: TestEmulator) => emulator.put(GLOBAL, { limit: 2_000_000 })

async function limitOf(emulator: TestEmulator) {
  emulator.faults.clear()
  return (await emulator.get(GLOBAL)).body.limit
}

/** How the first requests end, with one random fault for all of them. */
async function statusesWith(fault: Omit<FaultInput, 'then'>, count = 40) {
  const emulator = await startTestEmulator()
  emulator.faults.add(makeFault({ path: '/*', times: 'always', ...fault }, { status: 503 }))
  const statuses = []
  for (let turn = 0; turn < count; turn += 1) statuses.push((await emulator.get(SCAN)).status)
  return statuses
}

describe('a random fault', () => {
  it('applies to some requests, always to the same ones', async () => {
    const statuses = await statusesWith({ chance: 0.3 })
    expect(statuses).toEqual(await statusesWith({ chance: 0.3 }))
    const failed = statuses.filter((status) => status === 503).length
    expect(failed).toBeGreaterThan(4)
    expect(failed).toBeLessThan(20)
  })

  it('applies to others with another seed', async () => {
    const one = await statusesWith({ chance: 0.3, random: 'one' })
    expect(one).not.toEqual(await statusesWith({ chance: 0.3, random: 'two' }))
  })

  it('uses up an occurrence only when it applies', async () => {
    const statuses = await statusesWith({ chance: 0.3, times: 3 })
    expect(statuses.filter((status) => status === 503)).toHaveLength(3)
  })

  it('starts over with a reset', async () => {
    const fault = makeFault({ path: '/*', times: 'always', chance: 0.5 }, { status: 503 })
    const emulator = await startTestEmulator({ faults: [fault] })
    const run = async () => {
      const statuses = []
      for (let turn = 0; turn < 12; turn += 1) statuses.push((await emulator.get(SCAN)).status)
      emulator.reset()
      return statuses
    }
    expect(await run()).toEqual(await run())
  })

  it('delays by a random time between two', () => {
    const delays = fc.sample(fc.tuple(fc.nat(1000), fc.nat(1000), fc.string()), 100)
    for (const [least, more, random] of delays) {
      const faults = makeFaults()
      const delayMs: [number, number] = [least, least + more]
      faults.add(makeFault({ path: '/*', times: 'always', random }, { delayMs }))
      const taken = [1, 2, 3].map(() => faults.take({ method: 'GET', path: '/' })?.delayMs ?? -1)
      for (const delay of taken) expect(delay).toBeGreaterThanOrEqual(least)
      for (const delay of taken) expect(delay).toBeLessThanOrEqual(least + more)
    }
  })

  it.each([
    [{ chance: 0 }, /chance/],
    [{ chance: 1.5 }, /chance/],
  ])('with %j is refused', async (fault, message) => {
    await expect(statusesWith(fault)).rejects.toThrow(message)
  })

  it('with its delays in the wrong order is refused', async () => {
    const emulator = await startTestEmulator()
    const add = () => emulator.faults.add(makeFault({ path: '/*' }, { delayMs: [2, 1] }))
    expect(add).toThrow(/then/)
  })
})

describe('a fault', () => {
  it('applies to the given number of requests', async () => {
    const emulator = await startTestEmulator()
    emulator.faults.add(makeFault({ endpoint: 'automations.ci.scan', times: 2 }, { status: 503 }))
    const statuses = []
    for (let turn = 0; turn < 3; turn += 1) statuses.push((await emulator.get(SCAN)).status)
    expect(statuses).toEqual([503, 503, 200])
    expect(emulator.faults.list()).toEqual([])
  })

  it('can skip requests, and can apply forever', async () => {
    const emulator = await startTestEmulator()
    emulator.faults.add(makeFault({ path: SCAN, skip: 1, times: 'always' }, { status: 429 }))
    const statuses = []
    for (let turn = 0; turn < 4; turn += 1) statuses.push((await emulator.get(SCAN)).status)
    expect(statuses).toEqual([200, 429, 429, 429])
    emulator.faults.clear()
    expect((await emulator.get(SCAN)).status).toBe(200)
  })

  it.each([
    [{ endpoint: 'organization.limits.getGlobal' }, [500, 200, 200]],
    [{ endpoint: 'organization.limits.setGlobal' }, [200, 500, 200]],
    [{ method: 'put' }, [200, 500, 200]],
    [{ path: '/api/v0/organization/*' }, [500, 500, 200]],
    [{ path: '*/scan' }, undefined],
    [{ path: '/*/scan' }, [200, 200, 500]],
    [{ method: 'GET', path: '/api/v0/*' }, [500, 200, 500]],
    [{ path: '/api/v0/organization' }, [200, 200, 200]],
    [{ path: '/api.v0/*' }, [200, 200, 200]],
  ])('is matched by %j', async (request, expected) => {
    const emulator = await startTestEmulator()
    const fault: FaultInput = makeFault({ ...request, times: 'always' }, { status: 500 })
    if (!expected) {
      expect(() => emulator.faults.add(fault)).toThrow('path: ')
      return
    }
    emulator.faults.add(fault)
    const statuses = [
      await emulator.get(GLOBAL),
      await setGlobal(emulator),
      await emulator.get(SCAN),
    ]
    expect(statuses.map(({ status }) => status)).toEqual(expected)
  })

  it('responds with the given status, headers and body', async () => {
    const emulator = await startTestEmulator()
    const headers = { 'Retry-After': '7', 'Content-Type': 'text/html' }
    emulator.faults.add(
      makeFault({ path: SCAN }, { status: 429, headers, body: '<p>slow down</p>' }),
    )
    emulator.faults.add(makeFault({ path: SCAN }, { status: 502, body: { error: 'no' } }))
    const first = await emulator.get(SCAN)
    expect([first.status, first.text]).toEqual([429, '<p>slow down</p>'])
    expect(first.headers.get('retry-after')).toBe('7')
    expect(first.headers.get('content-type')).toBe('text/html')
    expect((await emulator.get(SCAN)).body).toEqual({ error: 'no' })
  })

  it('delays the response', async () => {
    const emulator = await startTestEmulator()
    emulator.faults.add(makeFault({ path: SCAN }, { delayMs: 60 }))
    const start = performance.now()
    expect((await emulator.get(SCAN)).status).toBe(200)
    expect(performance.now() - start).toBeGreaterThan(50)
  })

  it('hangs until the client gives up or the emulator closes', async () => {
    const emulator = await startTestEmulator()
    emulator.faults.add(makeFault({ path: SCAN, times: 2 }, { hang: true }))
    const client = new AbortController()
    const { signal } = client
    const given = expect(fetch(emulator.url + SCAN, { signal })).rejects.toThrow('aborted')
    await expect.poll(() => emulator.requests()).toHaveLength(1)
    client.abort()
    await given
    const hanging = expect(emulator.get(SCAN)).rejects.toThrow()
    await expect.poll(() => emulator.requests()).toHaveLength(2)
    await emulator.close()
    await hanging
    expect(emulator.requests().map(({ status }) => status)).toEqual([undefined, undefined])
  })

  it('closes the connection before the headers', async () => {
    const emulator = await startTestEmulator()
    emulator.faults.add(makeFault({ path: SCAN }, { cut: 'before-headers' }))
    expect(await rawResponse(emulator, SCAN)).toBe('')
  })

  it('closes the connection within the body', async () => {
    const emulator = await startTestEmulator()
    emulator.faults.add(makeFault({ path: SCAN }, { cut: 'in-body' }))
    const [head = '', body = ''] = (await rawResponse(emulator, SCAN)).split('\r\n\r\n')
    expect(head).toContain('200 OK')
    const promised = Number(/content-length: (\d+)/i.exec(head)?.[1])
    expect(body.length).toBeGreaterThan(0)
    expect(body.length).toBeLessThan(promised)
  })

  it('breaks the JSON of a complete response', async () => {
    const emulator = await startTestEmulator()
    emulator.faults.add(makeFault({ path: SCAN }, { brokenJson: true }))
    const answer = await emulator.get(SCAN)
    expect(answer.status).toBe(200)
    expect(answer.text.startsWith('{"')).toBe(true)
    expect(() => JSON.parse(answer.text)).toThrow()
  })

  it.each([
    [{ status: 500 }, undefined, null],
    [{ cut: 'before-headers' }, undefined, null],
    [{ status: 504 }, true, 2_000_000],
    [{ cut: 'before-headers' }, true, 2_000_000],
    [{ cut: 'in-body' }, undefined, 2_000_000],
    [{ brokenJson: true }, undefined, 2_000_000],
    [{ delayMs: 1 }, undefined, 2_000_000],
  ] as const)(
    'determines whether the request takes effect: %j, %s',
    async (effect, carryOut, limit) => {
      const emulator = await startTestEmulator()
      emulator.faults.add(makeFault({ path: GLOBAL, carryOut }, effect))
      await setGlobal(emulator).catch(() => undefined)
      expect(await limitOf(emulator)).toBe(limit)
    },
  )

  it('given at the start is restored by a reset', async () => {
    const faults = [makeFault({ path: SCAN }, { status: 500 })]
    const emulator = await startTestEmulator({ faults })
    for (let turn = 0; turn < 2; turn += 1) {
      expect((await emulator.get(SCAN)).status).toBe(500)
      expect((await emulator.get(SCAN)).status).toBe(200)
      emulator.reset()
    }
  })

  it('is recorded with the request that it applied to', async () => {
    const emulator = await startTestEmulator()
    emulator.faults.add(makeFault({ path: SCAN }, { status: 500 }))
    await emulator.get(SCAN)
    expect(emulator.requests()[0]).toMatchObject({ status: 500, fault: { status: 500 } })
  })
})

describe('an invalid fault', () => {
  it.each([
    [{}, { status: 500 }, 'names no request'],
    [{ endpoint: 'sessions.make' }, { status: 500 }, 'endpoint: no endpoint "sessions.make"'],
    [{ endpoint: 'computer.get' }, { status: 500 }, 'Did you mean "computers.get"?'],
    [{ path: SCAN }, { stauts: 500 }, 'then: expected {status'],
    [{ path: SCAN }, { status: 99 }, 'then.status: must be at least 200'],
    [{ path: SCAN }, { status: 500, hang: true }, 'then: expected {status'],
    [{ path: SCAN }, {}, 'then: expected {status'],
    [{ path: SCAN }, undefined, 'then: expected {status'],
    [
      { path: SCAN },
      { status: 429, headers: { 'retry-after': 1 } },
      'then.headers["retry-after"]: must be a string, not 1',
    ],
    [{ path: SCAN }, { cut: 'before' }, 'then.cut: must be "before-headers" or "in-body"'],
    [{ path: SCAN }, { status: 500, headers: { 'a b': 'c' } }, 'then.headers: '],
    [{ path: SCAN }, { status: 500, headers: { a: 'b\nc' } }, 'then.headers: '],
    [{ path: SCAN, times: 0 }, { status: 500 }, 'times'],
    [{ path: SCAN, time: 1 }, { status: 500 }, 'time'],
  ])('is rejected: %j %j', async (requests, effect, message) => {
    const emulator = await startTestEmulator()
    expect(() => emulator.faults.add(makeFault(requests, effect as FaultInput['then']))).toThrow(
      message,
    )
    expect(emulator.faults.list()).toEqual([])
  })

  it('in a file is reported with the file and the field', async () => {
    const folder = await makeFolder()
    const file = join(folder, 'faults.json')
    await writeFile(file, JSON.stringify([makeFault({ path: SCAN }, { status: 500 })]))
    expect(await loadFaults(file)).toMatchObject([{ path: SCAN, times: 1 }])
    await writeFile(file, JSON.stringify([makeFault({ path: 'scan' }, { status: 500 })]))
    await expect(loadFaults(file)).rejects.toThrow(`fault file "${file}": [0].path: `)
    await writeFile(file, '[')
    await expect(loadFaults(file)).rejects.toThrow(`fault file "${file}": not JSON: `)
    await expect(loadFaults(join(folder, 'none'))).rejects.toThrow('cannot be read')
  })
})

/** All bytes of a response until the connection ends. */
function rawResponse(emulator: TestEmulator, path: string): Promise<string> {
  return new Promise((resolve) => {
    const { port, hostname } = new URL(emulator.url)
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(text))
    const head = `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\n`
    socket.write(`${head}authorization: Bearer ${emulator.apiKey}\r\n\r\n`)
  })
}
