// Replaces the key of a service account without any downtime.
//
//   node --import tsx rotate-a-key-safely.ts SERVICE_ACCOUNT_ID KEY_ID FILE
import { createClient, isClientError } from 'hookbell/api'

const [serviceAccountId = '', keyId = '', file = ''] = process.argv.slice(2)
if (file === '') throw new Error('give SERVICE_ACCOUNT_ID KEY_ID FILE')
await using client = createClient()

try {
  // The file is opened before the call, and the new key is tried after it. The old key stays valid for ten minutes: time
  // to put the new one everywhere, or to rotate again if the response gets lost, since a key is shown only once.
  const input = { serviceAccountId, keyId, gracePeriodMinutes: 10 }
  const { id, fingerprint } = await client.serviceAccounts.keys.rotateTo(file, input)
  console.log(`${file} has the key ${id} (…${fingerprint}); the old one ends in ten minutes`)
} catch (error) {
  // The client never retries this call: a second rotation would replace the key that was lost.
  if (isClientError(error) && error.outcome === 'unknown')
    console.error('The key may be rotated. The old one works for ten minutes: rotate it again now.')
  throw error
}
