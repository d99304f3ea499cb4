import { hostname } from 'node:os'
import { defineCommand } from 'citty'
import { Board, type Known } from '../board/board.ts'
import { lineOf } from '../board/line.ts'
import { asTyped } from '../cli/how-to-call.ts'
import { fit, print, printJson } from '../cli/output.ts'
import { partsOfName } from '../context/project.ts'
import { usageError } from '../errors.ts'
import { stateFolders } from './_events.ts'
import { asRow, describeSessions } from './sessions/text.ts'
import { watchSessions } from './sessions/watch.ts'

export const sessionsCommand = defineCommand({
  args: {
    project: {
      type: 'string',
      description: 'Only sessions of this project',
      valueHint: 'NAME',
    },
    all: { type: 'boolean', description: 'Also those that have ended' },
    watch: { type: 'boolean', description: 'Show them until q is pressed, always as they are now' },
    line: { type: 'boolean', description: 'Print who asks you, in a few words for a status line' },
    json: { type: 'boolean', description: 'Print JSON of all sessions' },
  },
  async run({ args: { project, all, json, line, watch } }) {
    if ([watch, line, json].filter(Boolean).length > 1)
      throw usageError('sessions: only one of --watch, --line and --json')
    const board = new Board(stateFolders())
    const host = hostname()
    const read = async (now: number) => {
      const found = await board.read(now)
      const wanted = found.filter(
        ({ state, session }) =>
          (all || json || state !== 'ended') && isOf(session.seen?.project ?? '', project),
      )
      return { wanted, left: found.length - wanted.length }
    }
    const rowsOf = (wanted: readonly Known[]) => wanted.map((one) => asRow(one, host))
    const pageAt = async (now: number) => {
      const { wanted, left } = await read(now)
      if (wanted.length > 0) return describeSessions(rowsOf(wanted), now)
      return fit(asTyped(left > 0 ? NONE_LIVES : NONE))
    }
    if (watch) return await watchSessions(pageAt)
    const now = Date.now()
    if (json) return printJson(rowsOf((await read(now)).wanted))
    print(line ? lineOf((await read(now)).wanted, now) : await pageAt(now))
  },
})

/** A linked work tree is of the project of its repository. */
function isOf(project: string, wanted: string | undefined): boolean {
  return wanted === undefined || project === wanted || partsOfName(project).repository === wanted
}

const NONE = 'No session of the last day. See whether hookbell is registered: hookbell status'
const NONE_LIVES = 'No such session lives. Those of the last day: hookbell sessions --all'
