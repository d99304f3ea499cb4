import { inspect } from 'node:util'
import { createClient } from '../../../src/api/index.ts'

/** A process that calls twice, the second time what must not be repeated, and prints what came of it. */
const client = createClient({ transport: process.env.TRANSPORT as 'undici' | 'https' })
const tell = (error: Error) => ({
  ...error,
  message: error.message,
  shown: inspect(error, { depth: 9, showHidden: true }),
})
const first = await client.organization.limits.getGlobal().catch(tell)
const rotated = { serviceAccountId: 's', keyId: 'k' }
const second = await client.serviceAccounts.keys.rotate(rotated).catch(tell)
console.log(JSON.stringify([first, second]))
