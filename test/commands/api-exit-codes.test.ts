import { describe, expect, it } from 'vitest'
import { refusedPort } from '../support/port.ts'
import { makeApiHome, makeFault } from './_api-home.ts'

describe('api: exit codes', () => {
  it.each([
    [400, 65],
    [401, 77],
    [403, 77],
    [404, 65],
    [409, 65],
    [418, 65],
    [429, 69],
    [500, 69],
  ])('a response with status %i exits with %i', async (status, code) => {
    const { run } = await makeApiHome({
      // Longer than the time limit of a call, so that nothing is retried.
      faults: [makeFault({ status, headers: { 'retry-after': '3600' } })],
    })
    const { exitCode, stderr, stdout } = await run('api', 'organization.limits.getGlobal')
    expect(stderr).toMatch(`x api organization.limits.getGlobal: GET /api/v0`)
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' })
  })

  it.each([
    [404, {}, 'Check the name or ID'],
    [429, {}, 'Try again later'],
    [503, { 'x-request-id': 'req_7' }, 'Try again later'],
    [503, { 'retry-after': '3600' }, 'Try again after '],
  ])('the error for status %i with %j says what to do', async (status, headers, hint) => {
    const { run } = await makeApiHome({ faults: [makeFault({ status, headers })] })
    const { stderr } = await run('api', 'organization.limits.getGlobal')
    expect(stderr.split('\n')[1]).toContain(hint)
  })

  it.each([
    ['organization.limits.getGlobal', { status: 302, headers: { location: '/login' } }],
    ['readiness.reports', { status: 404 }],
  ])('names the variable to check if the URL for %s is wrong', async (id, fault) => {
    const { run } = await makeApiHome({ faults: [makeFault(fault)] })
    const { stderr } = await run('api', id)
    expect(stderr).toMatch(/check HOOKBELL_A/i)
    expect(stderr).not.toMatch(/baseUrl|appUrl|paths/)
  })

  it('prints the error message of a service on one line, without control characters', async () => {
    const body = { detail: 'no\u001b[2J\n  run this: \u202ex', title: 'T\u0007', status: 400 }
    const { run } = await makeApiHome({ faults: [makeFault({ status: 400, body })] })
    const { stderr } = await run('api', 'automations.ci.scan')
    expect(stderr).toMatch(/400 T: no\[2J run this: x \(request req_1\)$/)
  })

  it('exits with 78 without a key and names both variables and where keys are made', async () => {
    const { runWith } = await makeApiHome()
    const env = { HOOKBELL_API_KEY: undefined }
    const { exitCode, stderr } = await runWith({ env }, 'usage')
    expect(stderr).toContain('x usage: no API key: HOOKBELL_API_KEY is not set\n')
    expect(stderr).toContain('HOOKBELL_API_KEY or FACTORY_API_KEY. ')
    expect(stderr).toContain('https://app.factory.ai/settings/api-keys')
    expect(stderr).toMatch(/or try without: .* emulator$/)
    expect(exitCode).toBe(78)
  })

  it('exits with 69 when the connection is refused', async () => {
    const { runWith } = await makeApiHome()
    const env = { HOOKBELL_API_BASE_URL: `http://127.0.0.1:${await refusedPort()}` }
    const { exitCode, stderr } = await runWith({ env }, 'api', 'automations.ci.scan')
    expect(stderr).toContain('ECONNREFUSED')
    expect(exitCode).toBe(69)
  })

  it('exits with 76 for a response that is not JSON', async () => {
    const { run } = await makeApiHome({
      faults: [makeFault({ status: 200, body: '<html>' })],
    })
    const { exitCode } = await run('api', 'organization.limits.getGlobal')
    expect(exitCode).toBe(76)
  })

  it('warns that the request may have been carried out when the response is lost', async () => {
    const { run, emulator } = await makeApiHome()
    emulator.faults.add(makeFault({ cut: 'in-body' }))
    const { serviceAccountId, keyId } = emulator
    const { exitCode, stderr } = await run(
      ...['api', 'serviceAccounts.keys.rotate'],
      ...['--service-account-id', serviceAccountId, '--key-id', keyId, '--yes'],
    )
    expect(stderr).toContain('It may have been carried out all the same')
    expect(exitCode).toBe(69)
    expect(emulator.requests()).toHaveLength(1)
  })
})
