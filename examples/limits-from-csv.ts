// Sets the credit limits of users from a CSV file with `email,limit`. An empty limit removes the limit of the user.
//
//   node --import tsx limits-from-csv.ts limits.csv
import { readFileSync } from 'node:fs'
import { createClient } from 'hookbell/api'

// The maximum of one request.
const MOST_USERS = 100

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('give a CSV file')
const users = parse(readFileSync(file, 'utf8'))
const client = createClient()
const failed: { email: string; error: string }[] = []

for (let at = 0; at < users.length; at += MOST_USERS) {
  const part = users.slice(at, at + MOST_USERS)
  // A response with status 200 may still list rejected users.
  const { updated, errors } = await client.organization.limits.setUsers({ users: part })
  failed.push(...errors)
  console.log(`${updated.length} of ${part.length} set`)
}
for (const { email, error } of failed) console.error(`${email}: ${error}`)
process.exitCode = failed.length > 0 ? 1 : 0
await client.close()

/** Rejects the whole file on the first invalid line, so that a list is never applied in part. */
function parse(csv: string) {
  const lines = csv.split(/\r?\n/).filter((line) => line.trim() !== '' && !/^email,/i.test(line))
  return lines.map((line) => {
    const [email = '', limit = ''] = line.split(',').map((cell) => cell.trim())
    if (!email.includes('@') || !/^\d*$/.test(limit)) throw new Error(`not "email,limit": ${line}`)
    return { email, limit: limit === '' ? null : Number(limit) }
  })
}
