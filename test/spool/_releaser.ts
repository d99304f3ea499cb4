// Claims all deliveries that are due, and releases them.
import { Store } from '../../src/spool/store.ts'

const store = new Store({ stateDir: process.argv[2] ?? '' })
const claims = store.due().flatMap((id) => store.claimDelivery(id) ?? [])
for (const claim of claims) await store.releaseDelivery(claim)
process.stdout.write(`${store.due().length}`)
