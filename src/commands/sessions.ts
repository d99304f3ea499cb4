import { hostname } from 'node:os'
import { defineCommand } from 'citty'
import { readBoard } from '../board/board.ts'
import { asTyped } from '../cli/how-to-call.ts'
import { printJson, say } from '../cli/output.ts'
import { stateFolders } from './_events.ts'
import { asRow, describeSessions } from './sessions/text.ts'

export const sessionsCommand = defineCommand({
  args: {
    project: {
      type: 'string',
      description: 'Only sessions of this project',
      valueHint: 'NAME',
    },
    all: { type: 'boolean', description: 'Also those that have ended' },
    json: { type: 'boolean', description: 'Print JSON of all sessions' },
  },
  async run({ args: { project, all, json } }) {
    const now = Date.now()
    const board = await readBoard(stateFolders(), now)
    const wanted = board.filter(
      ({ state, session }) =>
        (all || json || state !== 'ended') &&
        (project === undefined || session.seen?.project === project),
    )
    const host = hostname()
    const rows = wanted.map((one) => asRow(one, host))
    if (json) return printJson(rows)
    const left = board.length - wanted.length
    if (rows.length === 0) return say(asTyped(left > 0 ? NONE_LIVES : NONE))
    say(describeSessions(rows, now))
  },
})

const NONE = 'No session of the last day. See whether hookbell is registered: hookbell status'
const NONE_LIVES = 'No such session lives. Those of the last day: hookbell sessions --all'
