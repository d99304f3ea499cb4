// Holds the lock of a state folder and waits as a worker does, until it is asked to hand over.
import { watch } from 'node:fs'
import { spoolIn } from '../../src/spool/layout.ts'
import { acquireLock, releaseLock } from '../../src/spool/lock/lock.ts'
import { endHandover, handoverRequested } from '../../src/spool/requests.ts'

const stateDir = process.argv[2] ?? ''
acquireLock(stateDir, '0.0.1')
watch(spoolIn(stateDir).requests, () => {
  if (!handoverRequested(stateDir)) return
  releaseLock(stateDir)
  endHandover(stateDir)
  process.exit(0)
})
process.stdout.write('ready\n')
