// Syncs the waiting events of a state folder to the disk, and prints their number.
import { spoolIn } from '../../src/spool/layout.ts'
import { syncWaiting } from '../../src/spool/salvage.ts'

process.stdout.write(`${syncWaiting(spoolIn(process.argv[2] ?? ''))}\n`)
