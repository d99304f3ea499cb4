import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Authority, makeAuthority } from '../../support/authority.ts'
import { buildProgram } from '../../support/program.ts'
import { transports } from '../_support.ts'

let program = ''
let folder = ''
let authority: Authority
beforeAll(async () => {
  program = await buildProgram('test/api/transports/_gives-up-bodies.ts')
  authority = await makeAuthority()
  folder = await mkdtemp(join(tmpdir(), 'hookbell-certificate-'))
  const { cert, key } = await authority.issue('IP:127.0.0.1', 'DNS:api.example.test')
  await writeFile(join(folder, 'cert.pem'), cert)
  await writeFile(join(folder, 'key.pem'), key)
})
afterAll(async () => {
  await authority.remove()
  await rm(folder, { recursive: true })
})

describe.each(transports)('giving up responses through %s', (transport) => {
  it.concurrent('never ends the process of the caller, and later calls succeed', async () => {
    const env = {
      PATH: process.env.PATH,
      TRANSPORT: transport,
      CERTIFICATE: join(folder, 'cert.pem'),
      PRIVATE_KEY: join(folder, 'key.pem'),
      NODE_EXTRA_CA_CERTS: authority.file,
    }
    const { stdout } = await promisify(execFile)(process.execPath, [program], { env })
    const { outcomes, afterwards } = JSON.parse(stdout)
    expect(outcomes).toEqual(['aborted', 'decode', 'http', 'network', 'resolved', 'timeout'])
    expect(new Set(afterwards)).toEqual(new Set(['resolved']))
  })
})
