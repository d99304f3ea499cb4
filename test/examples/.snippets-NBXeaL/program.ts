import { createClient } from 'hookbell/api'
import { startEmulator } from 'hookbell/emulator'

const emulator = await startEmulator({ seed: { agent: { instant: true } } })
const { serviceAccountId, keyId } = emulator
const client = createClient(emulator.clientOptions)

await client.serviceAccounts.keys.rotate({ serviceAccountId, keyId, gracePeriodMinutes: 5 })
emulator.clock.advance(5 * 60_000) // the old key stops working now

emulator.faults.add({ endpoint: 'organization.limits.getGlobal', then: { status: 503 } })
await client.organization.limits.getGlobal() // 503, then 200: the client has repeated it
console.log(emulator.requests().map(({ method, path, status }) => `${method} ${path} ${status}`))

await client.close()
await emulator.close()
