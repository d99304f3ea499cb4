import type { SendContext } from '../../src/notifiers/define.ts'
import { email } from '../../src/notifiers/email.ts'

/** A process that sends one mail and prints the result. */
const [message, channel] = process.argv.slice(2).map((text) => JSON.parse(text))
const context = { signal: AbortSignal.timeout(600_000) } as SendContext
const sending = email.send(message, email.options.parse(channel), context)
console.log(await sending.catch((error) => error.message))
