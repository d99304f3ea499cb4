// Claims all it can get from a spool, and prints what it got.
import { basename } from 'node:path'
import { Claims } from '../../src/spool/claim.ts'
import { listWaiting } from '../../src/spool/names.ts'
import { prepareSpool } from '../../src/spool/prepare.ts'

const spool = prepareSpool(process.argv[2] ?? '')
const claims = new Claims(spool)
const got: string[] = []
process.stdout.write('ready\n')
process.stdin.once('data', () => {
  for (let names = listWaiting(spool.new); names.length > 0; names = listWaiting(spool.new)) {
    for (const name of names) {
      const claim = claims.take(spool.new, name)
      if (claim) got.push(basename(claim.path))
    }
  }
  process.stdout.write(`${JSON.stringify(got)}\n`, () => process.exit(0))
})
