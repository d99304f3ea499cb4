// Claims all parked deliveries that are due, and releases them.
import { FileStore } from '../../src/spool/file-store.ts'

const store = new FileStore({ stateDir: process.argv[2] ?? '' })
const claims = store.due().flatMap((name) => store.claimParked(name) ?? [])
for (const claim of claims) store.release(claim, true)
process.stdout.write(`${store.due().length}`)
