// Syncs the waiting events of a state folder to the disk, or salvages those in tmp/, and prints their number.
import { spoolIn } from '../../src/spool/layout.ts'
import { salvage, syncWaiting } from '../../src/spool/salvage.ts'

const [, , stateDir = '', what] = process.argv
const spool = spoolIn(stateDir)
process.stdout.write(`${what === 'salvage' ? salvage(spool, Date.now()) : syncWaiting(spool)}\n`)
