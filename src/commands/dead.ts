import { defineCommand } from 'citty'
import { asTyped } from '../cli/how-to-call.ts'
import { ago, printJson, say, table } from '../cli/output.ts'
import { stateDir } from '../config/paths.ts'
import { usageError } from '../errors.ts'
import { hasDead } from '../journal/history.ts'
import { isInUse } from '../spool/layout.ts'
import { lockHolder } from '../spool/lock/lock.ts'
import { named } from '../text/named.ts'
import { deadAction } from './_dead-action.ts'
import { inFull, readEvents, stateFolders } from './_events.ts'

export const deadCommand = defineCommand({
  args: {
    action: {
      type: 'positional',
      required: false,
      description: 'list (default), retry or drop',
      valueHint: 'list|retry|drop',
    },
    id: { type: 'positional', required: false, description: 'One event, or the start of its id' },
    all: { type: 'boolean', description: 'Retry or drop all of them' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ args }) {
    const { action, id } = deadAction('dead', args.action, args)
    if (action === 'list') return showDead(args.json === true)
    const done = await Promise.all(stateFolders().map((state) => act(action, state, id)))
    const count = done.flat().length
    if (count === 0 && id) throw usageError(`dead: no dead event "${id}"`, 'See: hookbell dead')
    if (args.json) return printJson(done.flat())
    if (count === 0) return say('Nothing is dead')
    say(action === 'retry' ? `${count} put back; ${whenDelivered()}` : `${count} dropped`)
  },
})

function whenDelivered(): string {
  return lockHolder(stateDir())
    ? 'the worker that runs delivers them now'
    : asTyped('delivered with the next event, or now with: hookbell worker --once')
}

function showDead(json: boolean) {
  const folders = stateFolders()
  const dead = inFull(folders, readEvents(folders).known.filter(hasDead))
  if (json) return printJson(dead)
  if (dead.length === 0) return say('Nothing is dead')
  const rows = dead.map(({ id, acceptedAt, title, event, reason, channels }) => {
    const gaveUp = Object.entries(channels).filter(([, { state }]) => state === 'exhausted')
    const why = gaveUp.map(([name, { detail }]) => named(name, detail)).join('; ')
    return [id.slice(0, 8), ago(acceptedAt), title || event, why || reason]
  })
  say(
    `${table(rows)}\n\n${asTyped('Next: hookbell dead retry ID, or hookbell dead drop ID, or either with --all')}`,
  )
}

async function act(action: 'retry' | 'drop', state: string, start = ''): Promise<string[]> {
  if (!isInUse(state)) return []
  // Loaded only here, because `dead list` must be quick.
  const { dropDead, endPauses, findDead, retryDead } = await import('../worker/dead.ts')
  const items = findDead(state, start)
  const ids = new Set(items.map(({ event }) => event))
  if (start && ids.size > 1) {
    throw usageError(`dead: ${ids.size} events start with "${start}"`, 'Give more of the id')
  }
  // Before the retries, which wake the worker.
  if (action === 'retry' && items.length > 0) endPauses(state)
  for (const item of items) await (action === 'retry' ? retryDead : dropDead)(state, item)
  return [...ids]
}
