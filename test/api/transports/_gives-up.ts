import { createClient } from '../../../src/api/index.ts'

/** A program whose two calls time out. It prints the errors and the time, and should then exit. */
const client = createClient({ transport: process.env.TRANSPORT as 'undici' | 'https', retries: 0 })
const { limits } = client.organization
const late = await limits.getGlobal({}, { timeoutMs: 400 }).catch((error) => error)
const signal = AbortSignal.timeout(200)
const aborted = await limits.getGlobal({}, { signal }).catch((error) => error)
console.log(JSON.stringify([late.message, aborted.message, Date.now()]))
