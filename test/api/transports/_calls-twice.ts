import { inspect } from 'node:util'
import { createClient } from '../../../src/api/index.ts'

/** A program that makes two calls, the second one unsafe to retry, and prints the results. */
const client = createClient({ transport: process.env.TRANSPORT as 'undici' | 'https' })
const describeError = (error: Error) => ({
  ...error,
  message: error.message,
  shown: inspect(error, { depth: 9, showHidden: true }),
})
const first = await client.organization.limits.getGlobal().catch(describeError)
const rotated = { serviceAccountId: 's', keyId: 'k' }
const second = await client.serviceAccounts.keys.rotate(rotated).catch(describeError)
console.log(JSON.stringify([first, second]))
