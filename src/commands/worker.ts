import { defineCommand } from 'citty'
import { printJson, say } from '../cli/output.ts'
import { stateDir } from '../config/paths.ts'
import { HookbellError } from '../errors.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { lockHolder } from '../spool/lock/lock.ts'
import { keepMemorySmall } from '../worker/keep-memory-small.ts'
import { deliverOnce, runUntilIdle } from '../worker/run.ts'
import { stateFolders } from './_events.ts'
import { becomeWorker, sayWhatIsLeft } from './_worker.ts'

export const workerCommand = defineCommand({
  args: {
    once: { type: 'boolean', description: 'Deliver what is due now, then exit' },
    json: { type: 'boolean', description: 'Print each record of the journal as one line' },
  },
  async run({ args }) {
    const worker = becomeWorker(0)
    keepMemorySmall()
    const options = {
      ...worker,
      onRecord: args.json ? (entry: JournalEntry) => printJson(entry, 0) : undefined,
    }
    const work = args.once ? deliverOnce : runUntilIdle
    const folders = args.once ? stateFolders() : [stateDir()]
    const summaries = await Promise.all(
      folders.map((state) => work({ ...options, stateDir: state })),
    )
    const done = summaries.filter((summary) => summary !== undefined)
    if (done.length === 0) return args.json ? 0 : tellBusy(stateDir())
    const handled = done.reduce((sum, summary) => sum + summary.handled, 0)
    if (!args.json) {
      say(`${handled} handled${handled > 0 ? '; see: hookbell log' : ''}`)
      if (args.once) sayWhatIsLeft(folders)
    }
    const faults = done.flatMap((summary) => summary.faults)
    if (faults.length === 0) return 0
    throw new HookbellError('E_FAILED', faults.join('\n'), {
      hint: 'These events stay in the spool and are tried again by the next worker',
    })
  },
})

function tellBusy(state: string): number {
  const pid = lockHolder(state)?.pid
  say(`A worker already runs${pid ? ` (process ${pid})` : ''} and delivers what is waiting`)
  return 0
}
