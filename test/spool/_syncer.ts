// Puts the waiting events of a state folder on the disk, and prints how many there were.
import { spoolIn } from '../../src/spool/layout.ts'
import { syncWaiting } from '../../src/spool/salvage.ts'

process.stdout.write(`${syncWaiting(spoolIn(process.argv[2] ?? ''))}\n`)
