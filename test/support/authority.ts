import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface Authority {
  /** The certificate that clients have to trust. */
  file: string
  /** A certificate for a server, with names such as `DNS:localhost` or `IP:127.0.0.1`. */
  issue(...names: string[]): Promise<{ cert: Buffer; key: Buffer }>
  /** Like `issue`, but the certificate expired yesterday. */
  issueExpired(...names: string[]): Promise<{ cert: Buffer; key: Buffer }>
  remove(): Promise<void>
}

const run = promisify(execFile)
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** Makes a certificate authority that no system trusts, valid for a day. */
export async function makeAuthority(): Promise<Authority> {
  const folder = await mkdtemp(join(tmpdir(), 'hookbell-authority-'))
  const openssl = (...words: string[]) => run('openssl', words, { cwd: folder })
  const own = ['-subj', '/CN=authority of a test', '-days', '1']
  await openssl('req', '-x509', ...newKey, ...own, '-keyout', 'ca.key', '-out', 'ca.pem')
  let count = 0
  const issue = async (names: string[], days: string) => {
    const [name, signer] = [`server-${++count}`, ['-CA', 'ca.pem', '-CAkey', 'ca.key']]
    const [key, request, cert] = [`${name}.key`, `${name}.csr`, `${name}.pem`]
    await writeFile(join(folder, 'names'), `subjectAltName=${names.join(',')}`)
    await openssl('req', ...newKey, '-subj', '/CN=test', '-keyout', key, '-out', request)
    const signed = ['-CAcreateserial', '-extfile', 'names', '-days', days, '-out', cert]
    await openssl('x509', '-req', '-in', request, ...signer, ...signed)
    return { cert: await readFile(join(folder, cert)), key: await readFile(join(folder, key)) }
  }
  return {
    file: join(folder, 'ca.pem'),
    issue: (...names) => issue(names, '1'),
    issueExpired: (...names) => issue(names, '-1'),
    remove: () => rm(folder, { recursive: true }),
  }
}
