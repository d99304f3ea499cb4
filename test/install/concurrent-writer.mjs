// Simulates a client that rewrites its settings at random moments: reads, adds a key, replaces the file.
// Runs until stdin ends, then prints its statistics.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'

const [, , path] = process.argv
const written = new Map()
const lost = []
let invalid = 0
let stopping = false
process.stdin.on('end', () => {
  stopping = true
})
process.stdin.resume()

for (let number = 0; !stopping; number += 1) {
  const settings = look()
  if (settings) {
    settings[`k${number}`] = number
    writeFileSync(`${path}.writer`, JSON.stringify(settings, null, 2))
    const from = process.hrtime.bigint()
    renameSync(`${path}.writer`, path)
    written.set(`k${number}`, [String(from), String(process.hrtime.bigint())])
  }
  // The pauses grow, so that the other process can write in between even on slow disks.
  await new Promise((resolve) => setTimeout(resolve, Math.random() * (25 + number ** 2 / 1000)))
}
look()
process.stdout.write(JSON.stringify({ written: written.size, lost, invalid }))

function look() {
  let settings
  try {
    settings = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    invalid += 1
    return undefined
  }
  for (const [key, renamed] of written) {
    if (Object.hasOwn(settings, key) || lost.some((each) => each.key === key)) continue
    lost.push({ key, renamed })
  }
  return settings
}
