// Replaces the key of a service account without a moment in which nothing works.
//
//   node --import tsx rotate-a-key-safely.ts SERVICE_ACCOUNT_ID KEY_ID FILE
import { closeSync, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs'
import { createClient, isClientError, PermissionError } from 'hookbell/api'

const [serviceAccountId = '', keyId = '', file = ''] = process.argv.slice(2)
if (file === '') throw new Error('give SERVICE_ACCOUNT_ID KEY_ID FILE')
const client = createClient()

// Before the call: a place that turns out not to be writable after it would cost the new key.
const temporary = `${file}.new`
const descriptor = openSync(temporary, 'wx', 0o600)

// The old key stays valid for ten minutes: time to put the new one everywhere. It is also what helps if the
// answer gets lost, since a key value is shown once. The client therefore never repeats this call by itself.
const { apiKey } = await client.serviceAccounts.keys
  .rotate({ serviceAccountId, keyId, gracePeriodMinutes: 10 })
  .catch((error: unknown) => {
    unlinkSync(temporary)
    if (isClientError(error) && error.outcome === 'unknown')
      console.error(
        'The key may be rotated. The old one works for ten minutes: make another one now.',
      )
    throw error
  })

// On the disk, complete, and readable by nobody else, before anything else can fail: this is the only copy.
writeSync(descriptor, `${apiKey.value}\n`)
fsyncSync(descriptor)
closeSync(descriptor)
renameSync(temporary, file)

// The new key must work before the old one ends. Not being allowed to read the limit is fine: a key that is
// not known would get another error.
const check = createClient({ apiKey: apiKey.value })
await check.organization.limits.getGlobal().catch((error: unknown) => {
  if (!(error instanceof PermissionError)) throw error
})
console.log(
  `${file} has the key ${apiKey.id} (…${apiKey.fingerprint}); the old one ends in ten minutes`,
)
await Promise.all([client.close(), check.close()])
