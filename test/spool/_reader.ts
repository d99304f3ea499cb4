// Reads a claimed event and a claimed delivery, and retries a dead one: first while the process can open no more files,
// then again. Prints what came of each.
import { closeSync, openSync } from 'node:fs'
import { retryItem } from '../../src/spool/dead.ts'
import { FileStore } from '../../src/spool/file-store.ts'

const store = new FileStore({ stateDir: process.argv[2] ?? '' })
const event = store.claimEvent('event-1')
const delivery = store.claimParked('parked.file.json')
if (!event || !delivery) throw new Error('nothing to claim')
const dead = { name: 'dead.file.json', channel: 'file', events: ['dead'] }
const steps = [
  () => store.readEvent(event)?.body.toString(),
  () => store.readParked(delivery)?.delivery.id,
  () => retryItem(store.spool, dead),
]
const outcomes = () =>
  steps.map((step) => {
    try {
      return step() ?? 'nothing'
    } catch (error) {
      return (error as NodeJS.ErrnoException).code
    }
  })

const open: number[] = []
try {
  for (;;) open.push(openSync('/dev/null', 'r'))
} catch {
  // The limit is reached.
}
const during = outcomes()
for (const file of open) closeSync(file)
process.stdout.write(JSON.stringify({ during, after: outcomes() }))
