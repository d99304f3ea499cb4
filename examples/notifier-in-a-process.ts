// A notifier of your own in a process of your own: takes what agents report, and keeps it until it is sent.
//
//   node --import tsx notifier-in-a-process.ts FOLDER < payload.json
//
// FOLDER has a config.json with a channel of the type "pager", and gets the events. No other program uses it.
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { acceptEvent, DeliveryError, defineNotifier, deliverOnce } from 'hookbell'
import * as z from 'zod'

const pager = defineNotifier({
  name: 'pager',
  title: 'Pager',
  options: z.strictObject({ url: z.url(), number: z.string().regex(/^\d+$/) }),
  leavesMachine: true,
  async send({ title, id }, { url, number }, { signal }) {
    const body = JSON.stringify({ number, text: title, id })
    const response = await fetch(url, { method: 'POST', body, signal })
    if (response.status === 404)
      throw new DeliveryError('give-up', `no pager has the number ${number}`)
    // What is thrown is tried again by the next run.
    if (!response.ok) throw new Error(`the pager service answered ${response.status}`)
    return `paged ${number}`
  },
})

const [, , folder = '.'] = process.argv
const stateDir = join(folder, 'state')
// From here on the event is not lost, whatever happens to this process.
acceptEvent(stateDir, { client: 'my-agent', env: {} }, await buffer(process.stdin))
const { handled, faults } = await deliverOnce({ stateDir, configDir: folder, notifiers: [pager] })
console.log(`${handled} handled`, ...faults)
