// Reads a claimed event and a claimed delivery, and retries a dead one: first while the process can open no more files,
// then again. Prints what came of each.
import { closeSync, openSync } from 'node:fs'
import { Store } from '../../src/spool/store.ts'
import { retryItem } from '../../src/worker/dead.ts'

const store = new Store({ stateDir: process.argv[2] ?? '' })
const event = store.claimEvent('event-1')
const delivery = store.claimDelivery('parked.file')
if (!event || !delivery) throw new Error('nothing to claim')
const dead = { name: 'dead.json', channel: 'file', event: 'dead' }
const steps = [
  () => store.readEvent(event)?.body.toString(),
  () => store.readDelivery(delivery)?.delivery.id,
  () => retryItem(store.spool, dead),
]
const outcomes = async () => {
  const all: unknown[] = []
  for (const step of steps) {
    try {
      all.push((await step()) ?? 'nothing')
    } catch (error) {
      all.push((error as NodeJS.ErrnoException).code)
    }
  }
  return all
}

const open: number[] = []
try {
  for (;;) open.push(openSync('/dev/null', 'r'))
} catch {
  // The limit is reached.
}
const during = await outcomes()
for (const file of open) closeSync(file)
process.stdout.write(JSON.stringify({ during, after: await outcomes() }))
