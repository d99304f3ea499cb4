// Claims as many events of a spool as it can, and prints their names.
import { basename } from 'node:path'
import { Claims } from '../../src/spool/claim.ts'
import { prepareSpool } from '../../src/spool/layout.ts'
import { Arrivals } from '../../src/spool/waiting-limits.ts'

const spool = prepareSpool(process.argv[2] ?? '')
const claims = new Claims(spool)
const got: string[] = []
process.stdout.write('ready\n')
process.stdin.once('data', () => {
  const arrivals = new Arrivals(spool.new)
  for (let all = arrivals.list(); all.length > 0; all = arrivals.list()) {
    for (const { id } of all) {
      const claim = claims.take(spool.new, id)
      if (claim) got.push(basename(claim.path))
    }
  }
  process.stdout.write(`${JSON.stringify(got)}\n`, () => process.exit(0))
})
