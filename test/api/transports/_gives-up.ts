import { createClient } from '../../../src/api/index.ts'
import { leftOpen } from './_left-open.ts'

/** A program whose two calls time out. It prints the errors and what keeps it alive. */
const client = createClient({ transport: process.env.TRANSPORT as 'undici' | 'https', retries: 0 })
const { limits } = client.organization
const late = await limits.getGlobal({}, { timeoutMs: 400 }).catch((error) => error)
const signal = AbortSignal.timeout(200)
const aborted = await limits.getGlobal({}, { signal }).catch((error) => error)
console.log(JSON.stringify([late.message, aborted.message, await leftOpen()]))
