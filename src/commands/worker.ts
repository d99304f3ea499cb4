import { defineCommand } from 'citty'
import { print } from '../cli/output.ts'
import { configDir, stateDir } from '../config/paths.ts'
import { HookbellError } from '../errors.ts'
import type { Record } from '../journal/record.ts'
import { lockHolder } from '../spool/lock.ts'
import { deliverOnce, runUntilIdle } from '../worker/run.ts'

export const workerCommand = defineCommand({
  meta: { name: 'worker', description: 'Deliver what is waiting, in the foreground' },
  args: {
    once: { type: 'boolean', description: 'Deliver what is due now, then end' },
    json: { type: 'boolean', description: 'Print each record of the journal as one line' },
  },
  async run({ args }) {
    const options = {
      stateDir: stateDir(),
      configDir: configDir(),
      onRecord: args.json ? (entry: Record) => print(JSON.stringify(entry)) : undefined,
    }
    const summary = await (args.once ? deliverOnce(options) : runUntilIdle(options))
    if (!summary) return tellBusy(options.stateDir)
    if (!args.json) print(`${summary.handled} event${summary.handled === 1 ? '' : 's'} handled`)
    if (summary.faults.length === 0) return 0
    throw new HookbellError('E_FAILED', summary.faults.join('\n'), {
      hint: 'These events stay in the spool and are tried again by the next worker',
    })
  },
})

function tellBusy(state: string): number {
  const pid = lockHolder(state)?.pid
  print(`A worker already runs${pid ? ` (process ${pid})` : ''} and delivers what is waiting`)
  return 0
}
