import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { caFileProblems } from '../../src/config/ca-file.ts'
import { trusting } from '../../src/connecting.ts'
import { makeFolder } from '../support/folder.ts'

describe('a file of certificate authorities', () => {
  it('may be as large as a bundle of several systems', async () => {
    const extraCaFile = join(await makeFolder(), 'ca.pem')
    writeFileSync(extraCaFile, rootCertificates.join('\n').repeat(10))
    expect(caFileProblems({ extraCaFile })).toEqual([])
  })

  it.skipIf(process.platform === 'win32')('is rejected at once if it is a pipe', async () => {
    const extraCaFile = join(await makeFolder(), 'ca.pem')
    execFileSync('mkfifo', [extraCaFile])
    expect(caFileProblems({ extraCaFile })).toEqual([
      `extraCaFile: no certificate in ${extraCaFile}`,
    ])
    expect(trusting(extraCaFile)).toEqual({ secureContext: expect.anything() })
  })
})
